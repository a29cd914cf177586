"""Questions over the column of a table, in fourteen languages: what has to be computed to answer them, or nothing.

Written for training. Those under `none` ask for a cell or a row, though many say "how many", "total" or "most" as well.
"""

from __future__ import annotations

OPERATIONS = ("none", "largest", "smallest", "sum", "average", "count")

QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "largest": (
            "Which {thing} has the highest {column}?", "What is the largest {column}?", "Who earned the most?",
            "Which {thing} is the most expensive?", "In which year was the {column} greatest?", "Maximum {column}?",
            "Which of the {thing}s weighs the most?", "Which {thing} had the longest delay?", "What was the top {column} of all {thing}s?",
        ),
        "smallest": (
            "Which {thing} has the lowest {column}?", "What is the smallest {column}?", "Who earned the least?",
            "Which {thing} is the cheapest?", "In which year was the {column} lowest?", "Minimum {column}?",
            "Which of the {thing}s is the lightest?", "Which {thing} had the shortest delay?", "What was the least {column} of any {thing}?",
        ),
        "sum": (
            "What is the total {column} of all {thing}s?", "What do all {thing}s cost together?", "Sum of the {column}?",
            "How much was spent altogether on {thing}s?", "What is the combined {column} of the {thing}s?",
            "How many hours were worked in total?", "Add up the {column} of every {thing}.", "How much {column} do the {thing}s have overall?",
        ),
        "average": (
            "What is the average {column} of the {thing}s?", "What does a {thing} cost on average?", "Mean {column}?",
            "How high is the {column} per {thing} on average?", "What is the mean {column} across all {thing}s?",
            "What was the average {column} in these years?", "How long did a {thing} take on average?",
        ),
        "count": (
            "How many {thing}s are listed?", "How many {thing}s are there in the table?", "Count the {thing}s.",
            "How many different {thing}s are there?", "What is the number of {thing}s listed?", "How many of the {thing}s are from Germany?",
            "How many {thing}s exceeded 50 in {column}?", "How many entries does the list have?",
        ),
        "none": (
            "What is the {column} of {name}?", "How many days of leave does {name} have?", "What was the total {column} in 2019?",
            "How much does {name} cost?", "How many units of {name} were sold?", "Who is responsible for {name}?",
            "What is the maximum speed allowed for {name}?", "How large is {name}?", "What is the minimum order for {name}?",
            "When was {name} delivered?", "How many people work at {name}?", "What was the average {column} of {name} in May?",
            "What is the total amount due on invoice 4411?", "What was the percentage change in {column}?",
            "How long is the notice period?", "What is the most important duty of {name}?", "What did {column} increase by from 2018 to 2019?",
        ),
    },
    "de": {
        "largest": (
            "Welches Produkt hat den höchsten Preis?", "Wie hoch ist das größte Gehalt?", "Wer verdient am meisten?",
            "Welcher Artikel ist am teuersten?", "In welchem Jahr war der Umsatz am höchsten?", "Welche Kiste wiegt am meisten?",
        ),
        "smallest": (
            "Welches Produkt hat den niedrigsten Preis?", "Wie hoch ist das kleinste Gehalt?", "Wer verdient am wenigsten?",
            "Welcher Artikel ist am billigsten?", "In welchem Jahr war der Umsatz am geringsten?", "Welche Kiste ist am leichtesten?",
        ),
        "sum": (
            "Wie hoch ist die Summe aller Preise?", "Was kosten alle Artikel zusammen?", "Wie viele Stunden wurden insgesamt gearbeitet?",
            "Wie viel wurde insgesamt für Möbel ausgegeben?", "Wie hoch ist der Gesamtumsatz aller Filialen?", "Was wiegen die Kisten zusammen?",
        ),
        "average": (
            "Wie hoch ist der durchschnittliche Preis?", "Was kostet ein Artikel im Durchschnitt?", "Wie alt sind die Mitarbeiter im Schnitt?",
            "Wie hoch war der mittlere Umsatz der Filialen?", "Wie lange dauerte eine Lieferung durchschnittlich?",
        ),
        "count": (
            "Wie viele Produkte sind aufgeführt?", "Wie viele Lieferanten gibt es in der Tabelle?", "Wie viele Mitarbeiter kommen aus Bern?",
            "Wie viele verschiedene Länder sind es?", "Wie viele Einträge hat die Liste?", "Wie viele Artikel kosten mehr als 100 Euro?",
        ),
        "none": (
            "Was kostet der Bohrer?", "Wie viele Urlaubstage hat Frau Keller?", "Wie hoch war der Gesamtumsatz im Jahr 2019?",
            "Wie viele Einwohner hat Basel?", "Wer ist für das Lager zuständig?", "Wie hoch ist das maximale Gewicht der Kiste B?",
            "Wann wurde Auftrag 77 geliefert?", "Wie lang ist die Kündigungsfrist?", "Wie hoch ist der Gesamtbetrag der Rechnung 4411?",
            "Wie groß ist die Wohnung?",
        ),
    },
    "fr": {
        "largest": (
            "Quel produit a le prix le plus élevé ?", "Quel est le plus gros salaire ?", "Qui gagne le plus ?",
            "Quel article est le plus cher ?", "En quelle année le chiffre d'affaires a-t-il été le plus haut ?", "Quelle caisse pèse le plus ?",
        ),
        "smallest": (
            "Quel produit a le prix le plus bas ?", "Quel est le plus petit salaire ?", "Qui gagne le moins ?",
            "Quel article est le moins cher ?", "En quelle année le chiffre d'affaires a-t-il été le plus faible ?", "Quelle caisse est la plus légère ?",
        ),
        "sum": (
            "Quelle est la somme de tous les prix ?", "Combien coûtent tous les articles ensemble ?", "Combien d'heures ont été travaillées au total ?",
            "Combien a-t-on dépensé en tout pour les meubles ?", "Quel est le chiffre d'affaires cumulé des agences ?", "Combien pèsent les caisses en tout ?",
        ),
        "average": (
            "Quel est le prix moyen ?", "Combien coûte un article en moyenne ?", "Quel est l'âge moyen des employés ?",
            "Quelle est la moyenne des ventes par agence ?", "Combien de temps une livraison prend-elle en moyenne ?",
        ),
        "count": (
            "Combien de produits figurent dans la liste ?", "Combien y a-t-il de fournisseurs dans le tableau ?", "Combien d'employés viennent de Lyon ?",
            "Combien de pays différents y a-t-il ?", "Combien d'entrées compte la liste ?", "Combien d'articles coûtent plus de 100 euros ?",
        ),
        "none": (
            "Combien coûte la perceuse ?", "Combien de jours de congé a Mme Morel ?", "Quel était le chiffre d'affaires total en 2019 ?",
            "Combien d'habitants compte Lyon ?", "Qui est responsable de l'entrepôt ?", "Quel est le poids maximal de la caisse B ?",
            "Quand la commande 77 a-t-elle été livrée ?", "Quelle est la durée du préavis ?", "Quel est le montant total de la facture 4411 ?",
            "Quelle est la surface de l'appartement ?",
        ),
    },
    "es": {
        "largest": (
            "¿Qué producto tiene el precio más alto?", "¿Cuál es el mayor salario?", "¿Quién gana más?",
            "¿Qué artículo es el más caro?", "¿En qué año fueron mayores las ventas?", "¿Qué caja pesa más?",
        ),
        "smallest": (
            "¿Qué producto tiene el precio más bajo?", "¿Cuál es el menor salario?", "¿Quién gana menos?",
            "¿Qué artículo es el más barato?", "¿En qué año fueron menores las ventas?", "¿Qué caja pesa menos?",
        ),
        "sum": (
            "¿Cuál es la suma de todos los precios?", "¿Cuánto cuestan todos los artículos juntos?", "¿Cuántas horas se trabajaron en total?",
            "¿Cuánto se gastó en total en muebles?", "¿Cuáles son las ventas conjuntas de las sucursales?", "¿Cuánto pesan las cajas en total?",
        ),
        "average": (
            "¿Cuál es el precio medio?", "¿Cuánto cuesta un artículo de media?", "¿Cuál es la edad promedio de los empleados?",
            "¿Cuál es el promedio de ventas por sucursal?", "¿Cuánto tarda una entrega por término medio?",
        ),
        "count": (
            "¿Cuántos productos figuran en la lista?", "¿Cuántos proveedores hay en la tabla?", "¿Cuántos empleados son de Sevilla?",
            "¿Cuántos países distintos hay?", "¿Cuántas entradas tiene la lista?", "¿Cuántos artículos cuestan más de 100 euros?",
        ),
        "none": (
            "¿Cuánto cuesta el taladro?", "¿Cuántos días de vacaciones tiene la señora Ruiz?", "¿Cuáles fueron las ventas totales en 2019?",
            "¿Cuántos habitantes tiene Sevilla?", "¿Quién es responsable del almacén?", "¿Cuál es el peso máximo de la caja B?",
            "¿Cuándo se entregó el pedido 77?", "¿Cuál es el plazo de preaviso?", "¿Cuál es el importe total de la factura 4411?",
            "¿Qué superficie tiene el piso?",
        ),
    },
    "it": {
        "largest": (
            "Quale prodotto ha il prezzo più alto?", "Qual è lo stipendio maggiore?", "Chi guadagna di più?",
            "Quale articolo è il più caro?", "In quale anno il fatturato è stato più elevato?",
        ),
        "smallest": (
            "Quale prodotto ha il prezzo più basso?", "Qual è lo stipendio minore?", "Chi guadagna di meno?",
            "Quale articolo è il più economico?", "In quale anno il fatturato è stato più basso?",
        ),
        "sum": (
            "Qual è la somma di tutti i prezzi?", "Quanto costano tutti gli articoli insieme?", "Quante ore sono state lavorate in totale?",
            "Quanto si è speso complessivamente per i mobili?", "Qual è il fatturato complessivo delle filiali?",
        ),
        "average": (
            "Qual è il prezzo medio?", "Quanto costa in media un articolo?", "Qual è l'età media dei dipendenti?",
            "Qual è la media delle vendite per filiale?",
        ),
        "count": (
            "Quanti prodotti sono elencati?", "Quanti fornitori ci sono nella tabella?", "Quanti dipendenti vengono da Torino?",
            "Quanti paesi diversi ci sono?", "Quanti articoli costano più di 100 euro?",
        ),
        "none": (
            "Quanto costa il trapano?", "Quanti giorni di ferie ha la signora Bassi?", "Qual era il fatturato totale nel 2019?",
            "Quanti abitanti ha Torino?", "Chi è responsabile del magazzino?", "Qual è il peso massimo della cassa B?",
            "Qual è l'importo totale della fattura 4411?", "Quanto dura il preavviso?",
        ),
    },
    "pt": {
        "largest": (
            "Qual produto tem o preço mais alto?", "Qual é o maior salário?", "Quem ganha mais?",
            "Qual artigo é o mais caro?", "Em que ano as vendas foram maiores?",
        ),
        "smallest": (
            "Qual produto tem o preço mais baixo?", "Qual é o menor salário?", "Quem ganha menos?",
            "Qual artigo é o mais barato?", "Em que ano as vendas foram menores?",
        ),
        "sum": (
            "Qual é a soma de todos os preços?", "Quanto custam todos os artigos juntos?", "Quantas horas foram trabalhadas no total?",
            "Quanto se gastou ao todo em móveis?", "Qual é o volume somado das vendas das filiais?",
        ),
        "average": (
            "Qual é o preço médio?", "Quanto custa um artigo em média?", "Qual é a idade média dos funcionários?",
            "Qual é a média de vendas por filial?",
        ),
        "count": (
            "Quantos produtos estão listados?", "Quantos fornecedores há na tabela?", "Quantos funcionários são do Porto?",
            "Quantos países diferentes há?", "Quantos artigos custam mais de 100 euros?",
        ),
        "none": (
            "Quanto custa o berbequim?", "Quantos dias de férias tem a senhora Lima?", "Qual foi o total de vendas em 2019?",
            "Quantos habitantes tem o Porto?", "Quem é responsável pelo armazém?", "Qual é o peso máximo da caixa B?",
            "Qual é o valor total da fatura 4411?", "Qual é o prazo de aviso prévio?",
        ),
    },
    "nl": {
        "largest": (
            "Welk product heeft de hoogste prijs?", "Wat is het grootste salaris?", "Wie verdient het meest?",
            "Welk artikel is het duurst?", "In welk jaar was de omzet het hoogst?",
        ),
        "smallest": (
            "Welk product heeft de laagste prijs?", "Wat is het kleinste salaris?", "Wie verdient het minst?",
            "Welk artikel is het goedkoopst?", "In welk jaar was de omzet het laagst?",
        ),
        "sum": (
            "Wat is de som van alle prijzen?", "Wat kosten alle artikelen samen?", "Hoeveel uur is er in totaal gewerkt?",
            "Hoeveel is er in totaal aan meubels uitgegeven?", "Wat is de gezamenlijke omzet van de filialen?",
        ),
        "average": (
            "Wat is de gemiddelde prijs?", "Wat kost een artikel gemiddeld?", "Wat is de gemiddelde leeftijd van de medewerkers?",
            "Hoe hoog was de omzet per filiaal gemiddeld?",
        ),
        "count": (
            "Hoeveel producten staan er in de lijst?", "Hoeveel leveranciers zijn er in de tabel?", "Hoeveel medewerkers komen uit Utrecht?",
            "Hoeveel verschillende landen zijn het?", "Hoeveel artikelen kosten meer dan 100 euro?",
        ),
        "none": (
            "Wat kost de boormachine?", "Hoeveel vakantiedagen heeft mevrouw Visser?", "Wat was de totale omzet in 2019?",
            "Hoeveel inwoners heeft Utrecht?", "Wie is verantwoordelijk voor het magazijn?", "Wat is het maximale gewicht van kist B?",
            "Wat is het totaalbedrag van factuur 4411?", "Hoe lang is de opzegtermijn?",
        ),
    },
    "pl": {
        "largest": (
            "Który produkt ma najwyższą cenę?", "Jaka jest największa pensja?", "Kto zarabia najwięcej?",
            "Który artykuł jest najdroższy?", "W którym roku sprzedaż była najwyższa?",
        ),
        "smallest": (
            "Który produkt ma najniższą cenę?", "Jaka jest najmniejsza pensja?", "Kto zarabia najmniej?",
            "Który artykuł jest najtańszy?", "W którym roku sprzedaż była najniższa?",
        ),
        "sum": (
            "Jaka jest suma wszystkich cen?", "Ile kosztują wszystkie artykuły razem?", "Ile godzin przepracowano łącznie?",
            "Ile wydano w sumie na meble?", "Jaki jest łączny obrót oddziałów?",
        ),
        "average": (
            "Jaka jest średnia cena?", "Ile kosztuje artykuł średnio?", "Jaki jest średni wiek pracowników?",
            "Jaka jest średnia sprzedaż na oddział?",
        ),
        "count": (
            "Ile produktów jest na liście?", "Ilu dostawców jest w tabeli?", "Ilu pracowników pochodzi z Krakowa?",
            "Ile jest różnych krajów?", "Ile artykułów kosztuje ponad 100 euro?",
        ),
        "none": (
            "Ile kosztuje wiertarka?", "Ile dni urlopu ma pani Nowak?", "Jaka była całkowita sprzedaż w 2019 roku?",
            "Ilu mieszkańców ma Kraków?", "Kto odpowiada za magazyn?", "Jaka jest maksymalna waga skrzyni B?",
            "Jaka jest łączna kwota faktury 4411?", "Ile trwa okres wypowiedzenia?",
        ),
    },
    "ru": {
        "largest": (
            "У какого товара самая высокая цена?", "Какая зарплата самая большая?", "Кто зарабатывает больше всех?",
            "Какой товар самый дорогой?", "В каком году выручка была наибольшей?",
        ),
        "smallest": (
            "У какого товара самая низкая цена?", "Какая зарплата самая маленькая?", "Кто зарабатывает меньше всех?",
            "Какой товар самый дешёвый?", "В каком году выручка была наименьшей?",
        ),
        "sum": (
            "Какова сумма всех цен?", "Сколько стоят все товары вместе?", "Сколько всего часов было отработано?",
            "Сколько в общей сложности потратили на мебель?", "Какова общая выручка всех филиалов?",
        ),
        "average": (
            "Какова средняя цена?", "Сколько в среднем стоит товар?", "Каков средний возраст сотрудников?",
            "Какова средняя выручка на филиал?",
        ),
        "count": (
            "Сколько товаров в списке?", "Сколько поставщиков указано в таблице?", "Сколько сотрудников из Казани?",
            "Сколько разных стран в списке?", "Сколько товаров стоят больше 100 евро?",
        ),
        "none": (
            "Сколько стоит дрель?", "Сколько дней отпуска у Ивановой?", "Какой была общая выручка в 2019 году?",
            "Сколько жителей в Казани?", "Кто отвечает за склад?", "Каков максимальный вес ящика Б?",
            "Какова общая сумма счёта 4411?", "Каков срок уведомления?",
        ),
    },
    "tr": {
        "largest": (
            "Hangi ürünün fiyatı en yüksek?", "En yüksek maaş ne kadar?", "En çok kim kazanıyor?",
            "En pahalı ürün hangisi?", "Ciro hangi yıl en yüksekti?",
        ),
        "smallest": (
            "Hangi ürünün fiyatı en düşük?", "En düşük maaş ne kadar?", "En az kim kazanıyor?",
            "En ucuz ürün hangisi?", "Ciro hangi yıl en düşüktü?",
        ),
        "sum": (
            "Tüm fiyatların toplamı nedir?", "Bütün ürünler birlikte ne kadar tutuyor?", "Toplam kaç saat çalışıldı?",
            "Mobilyaya toplamda ne kadar harcandı?", "Şubelerin cirolarının toplamı ne kadar?",
        ),
        "average": (
            "Ortalama fiyat nedir?", "Bir ürün ortalama ne kadar?", "Çalışanların yaş ortalaması kaç?",
            "Şube başına ortalama satış ne kadar?",
        ),
        "count": (
            "Listede kaç ürün var?", "Tabloda kaç tedarikçi var?", "Çalışanların kaçı İzmirli?",
            "Kaç farklı ülke var?", "Kaç ürünün fiyatı 100 avronun üzerinde?",
        ),
        "none": (
            "Matkap ne kadar?", "Ayşe Hanım'ın kaç gün izni var?", "2019 yılında toplam satış ne kadardı?",
            "İzmir'in nüfusu kaç?", "Depodan kim sorumlu?", "B sandığının azami ağırlığı nedir?",
            "4411 numaralı faturanın toplam tutarı nedir?", "İhbar süresi ne kadar?",
        ),
    },
    "ar": {
        "largest": (
            "أي منتج له أعلى سعر؟", "ما هو أكبر راتب؟", "من يكسب أكثر من غيره؟", "ما هي أغلى سلعة؟",
            "في أي سنة كانت المبيعات الأعلى؟",
        ),
        "smallest": (
            "أي منتج له أدنى سعر؟", "ما هو أصغر راتب؟", "من يكسب أقل من غيره؟", "ما هي أرخص سلعة؟",
            "في أي سنة كانت المبيعات الأدنى؟",
        ),
        "sum": (
            "ما مجموع كل الأسعار؟", "كم تكلف جميع السلع معًا؟", "كم ساعة عمل أُنجزت في المجموع؟",
            "كم أُنفق إجمالًا على الأثاث؟", "ما إجمالي مبيعات جميع الفروع؟",
        ),
        "average": (
            "ما متوسط السعر؟", "كم تكلف السلعة في المتوسط؟", "ما متوسط أعمار الموظفين؟", "ما معدل المبيعات لكل فرع؟",
        ),
        "count": (
            "كم عدد المنتجات المدرجة؟", "كم موردًا في الجدول؟", "كم موظفًا من القاهرة؟", "كم عدد البلدان المختلفة؟",
            "كم سلعة يزيد سعرها على 100 يورو؟",
        ),
        "none": (
            "كم سعر المثقاب؟", "كم يوم إجازة لدى السيدة ليلى؟", "ما إجمالي المبيعات في عام 2019؟", "كم عدد سكان القاهرة؟",
            "من المسؤول عن المستودع؟", "ما الوزن الأقصى للصندوق ب؟", "ما المبلغ الإجمالي للفاتورة 4411؟", "ما مدة الإشعار؟",
        ),
    },
    "zh": {
        "largest": (
            "哪种产品的价格最高？", "最高的工资是多少？", "谁赚得最多？", "哪件商品最贵？", "哪一年的销售额最大？", "哪个箱子最重？",
        ),
        "smallest": (
            "哪种产品的价格最低？", "最低的工资是多少？", "谁赚得最少？", "哪件商品最便宜？", "哪一年的销售额最小？", "哪个箱子最轻？",
        ),
        "sum": (
            "所有价格的总和是多少？", "全部商品一共多少钱？", "总共工作了多少小时？", "家具上合计花了多少钱？", "各分店的销售额加起来是多少？",
        ),
        "average": (
            "平均价格是多少？", "一件商品平均多少钱？", "员工的平均年龄是多少？", "各分店的平均销售额是多少？",
        ),
        "count": (
            "列出了多少种产品？", "表中有几家供应商？", "有多少名员工来自北京？", "一共有几个不同的国家？", "价格超过100欧元的商品有几件？",
        ),
        "none": (
            "电钻多少钱？", "王女士有多少天年假？", "2019年的总销售额是多少？", "北京有多少人口？", "谁负责仓库？",
            "B箱的最大重量是多少？", "发票4411的总金额是多少？", "通知期是多长？",
        ),
    },
    "ja": {
        "largest": (
            "価格が最も高い製品はどれですか。", "一番高い給料はいくらですか。", "最も多く稼いでいるのは誰ですか。",
            "一番高価な商品は何ですか。", "売上が最大だったのは何年ですか。",
        ),
        "smallest": (
            "価格が最も低い製品はどれですか。", "一番低い給料はいくらですか。", "最も稼ぎが少ないのは誰ですか。",
            "一番安い商品は何ですか。", "売上が最小だったのは何年ですか。",
        ),
        "sum": (
            "すべての価格の合計はいくらですか。", "商品は全部でいくらになりますか。", "合計で何時間働きましたか。",
            "家具に全部でいくら使いましたか。", "各支店の売上を合わせるといくらですか。",
        ),
        "average": (
            "平均価格はいくらですか。", "商品は平均していくらですか。", "従業員の平均年齢は何歳ですか。", "支店ごとの売上の平均はいくらですか。",
        ),
        "count": (
            "製品はいくつ載っていますか。", "表には何社の仕入先がありますか。", "京都出身の社員は何人いますか。",
            "国は全部で何か国ありますか。", "100ユーロを超える商品はいくつありますか。",
        ),
        "none": (
            "ドリルはいくらですか。", "田中さんの休暇は何日ですか。", "2019年の総売上はいくらでしたか。", "京都の人口は何人ですか。",
            "倉庫の担当は誰ですか。", "B箱の最大重量はいくらですか。", "請求書4411の合計金額はいくらですか。", "解約の予告期間はどれくらいですか。",
        ),
    },
    "ko": {
        "largest": (
            "가격이 가장 높은 제품은 무엇입니까?", "가장 높은 급여는 얼마입니까?", "누가 가장 많이 법니까?",
            "가장 비싼 물건은 무엇입니까?", "매출이 가장 컸던 해는 언제입니까?",
        ),
        "smallest": (
            "가격이 가장 낮은 제품은 무엇입니까?", "가장 낮은 급여는 얼마입니까?", "누가 가장 적게 법니까?",
            "가장 싼 물건은 무엇입니까?", "매출이 가장 적었던 해는 언제입니까?",
        ),
        "sum": (
            "모든 가격의 합계는 얼마입니까?", "물건은 모두 합해서 얼마입니까?", "총 몇 시간을 일했습니까?",
            "가구에 모두 얼마를 썼습니까?", "지점들의 매출을 합하면 얼마입니까?",
        ),
        "average": (
            "평균 가격은 얼마입니까?", "물건은 평균 얼마입니까?", "직원들의 평균 나이는 몇 살입니까?", "지점당 평균 매출은 얼마입니까?",
        ),
        "count": (
            "제품이 몇 개 나와 있습니까?", "표에 공급업체가 몇 곳 있습니까?", "부산 출신 직원은 몇 명입니까?",
            "서로 다른 나라는 몇 개입니까?", "100유로가 넘는 물건은 몇 개입니까?",
        ),
        "none": (
            "드릴은 얼마입니까?", "김 대리의 휴가는 며칠입니까?", "2019년 총매출은 얼마였습니까?", "부산의 인구는 몇 명입니까?",
            "창고 책임자는 누구입니까?", "상자 B의 최대 무게는 얼마입니까?", "청구서 4411의 총액은 얼마입니까?", "해지 통보 기간은 얼마입니까?",
        ),
    },
}

ENGLISH_WORDS = {
    "{thing}": ("product", "employee", "supplier", "machine", "project", "branch", "invoice", "vessel", "course", "apartment", "order", "region"),
    "{column}": ("price", "salary", "weight", "revenue", "cost", "distance", "number of hours", "score", "rent", "budget", "quantity", "area"),
    "{name}": ("the drill", "Anna Keller", "Basel", "item B-12", "the Oslo branch", "Project Falcon", "the red tent", "order 77"),
}  # fmt: skip
