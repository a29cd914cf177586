"""Wordings of orders to a model in languages other than English, made as those of `orders`."""

from __future__ import annotations

GERMAN: tuple[str, ...] = (
    r"(?#ignorier|vergiss|vergessen|missacht|beachte|überspring|befolge)"
    r"\b(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachte|missachten sie|beachte nicht|"
    r"überspring(?:e|en sie)|befolge nicht)\b.{0,40}\b(?:anweisung(?:en)?|instruktion(?:en)?|"
    r"vorgabe(?:n)?|regeln?|befehle?|prompts?|anleitung(?:en)?|richtlinien?|vorige[ns]?|"
    r"bisherige[ns]?|alles)\b",
    r"(?#du bist|sie sind)"
    r"\b(?:du bist|sie sind) (?:jetzt|ab jetzt|nun|ab sofort|nicht (?:mehr|"
    r"länger))\b.{0,60}\b(?:ki|assistent|modell|bot|modus|pirat|administrator|entwickler|"
    r"gebunden|eingeschränkt|namens)\b",
    r"(?#ab jetzt|ab sofort|ab nun)"
    r"\bab (?:jetzt|sofort|nun),? (?:antworte|antworten sie|bist du|sind sie|ignoriere|sprich|"
    r"gib)\b",
    r"(?#so als|so, als)"
    r"\b(?:tu|tue|tun sie) so,? als\b.{0,20}\b(?:wärst|wärest|wären|seist|seien)\b",
    r"(?# ki|intelligenz|sprachmodell|chatbot)"
    r"\b(?:hinweis|nachricht|anweisung|achtung|wichtig|mitteilung)\b[ :,!-]{1,3}(?:an |"
    r"für )?(?:die |das |den |alle )?(?:ki|künstliche intelligenz|sprachmodelle?|chatbots?|"
    r"ki-(?:assistent|modell|system)\w*)\b",
    r"(?# ki|sprachmodell|chatbot)"
    r"\b(?:wenn|falls|da) (?:du|sie) (?:eine? )?(?:ki|sprachmodell|chatbot|ki-\w+)\b",
    r"(?#ki |sprachmodell|chatbot|assistent)"
    r"\b(?:ki|ki-assistent|sprachmodell|chatbot) (?:muss|soll|sollte|"
    r"hat zu)\b.{0,60}\b(?:antworten|sagen|ausgeben|ignorieren|empfehlen|schreiben|verraten|"
    r"senden)\b",
    r"(?#nur|ausschlie|lediglich|nichts&antworte|gib |geben sie|schreib|sag)"
    r"\b(?:antworte|antworten sie|gib|geben sie|schreib(?:e|en sie)?|sag(?:e|"
    r"en sie)?)\b.{0,30}\b(?:nur|ausschließlich|ausschliesslich|lediglich|"
    r"nichts (?:anderes )?(?:als|außer))\b.{0,20}(?:\bmit\b|\baus\b|\bauf\b|[\"„»:]|\bin\b)",
    r"(?#prompt|anweisung|passw|zugangsdaten|schlüssel|gesprächsverlauf)"
    r"\b(?:gib|geben sie|zeig(?:e|en sie)?|verrate|verraten sie|nenne|wiederhole|"
    r"offenbare)\b.{0,40}\b(?:system-?prompt|systemanweisung(?:en)?|deine anweisungen|"
    r"ihre anweisungen|passw(?:ort|örter)|zugangsdaten|api-?schlüssel|gesprächsverlauf)\b",
    r"(?#antwort|ausgabe|zusammenfassung&deine|ihrer|jede|der)"
    r"\b(?:füg(?:e|en sie)|bau(?:e|en sie)|nimm|schreib(?:e|en sie)?|ersetz(?:e|en sie)|"
    r"verwend(?:e|en sie)|erwähn(?:e|en sie)|ergänz(?:e|en sie)|beend(?:e|en sie)|beginn(?:e|"
    r"en sie)|häng(?:e|en sie))\b.{0,100}\b(?:deine[rnm]?|ihrer|jede[rn]?|"
    r"der) (?:antwort(?:en)?|ausgabe|zusammenfassung)\b(?!.{0,30}\b(?:bis|spätestens)\b)",
    r"(?#nicht&diese|dem |den quellen)"
    r"\b(?:erwähn(?:e|en sie)|verrate|verraten sie|sag(?:e|en sie)?|"
    r"nenne)\b.{0,40}\b(?:diese (?:anweisung|nachricht|regel)\w*|dem (?:nutzer|benutzer|"
    r"anwender)|den quellen)\b.{0,20}\bnicht(?:s)?\b",
    r"(?#neue anweisung|neue aufgabe|neue rolle)"
    r"\bneue (?:anweisung(?:en)?|aufgabe|rolle) ?:",
    r"(?#http|www.|@)"
    r"\b(?:send(?:e|en sie)|schick(?:e|en sie)|übermittl?(?:e|eln sie)|"
    r"leite)\b.{0,60}\b(?:gespräch|verlauf|chat|daten|dokumente|inhalt)\w*\b.{0,60}(?:https?:|"
    r"www\.|@)",
)

FRENCH: tuple[str, ...] = (
    r"(?#ignor|oubli|ne tiens|ne tenez|néglig|outrepass)"
    r"\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|ne (?:tiens|tenez) pas compte|négligez|"
    r"outrepass(?:e|ez))\b.{0,40}\b(?:instructions?|consignes?|règles?|directives?|ordres?|"
    r"invites?|prompts?|tout ce qui|précédent(?:e?s)?)\b",
    r"(?#tu es |vous êtes )"
    r"\b(?:tu es|vous êtes) (?:maintenant|désormais|dorénavant|à présent)\b",
    r"(?#désormais|dorénavant|à partir de maintenant)"
    r"\b(?:désormais|dorénavant|à partir de maintenant),? (?:tu|vous|réponds|répondez|ignore|"
    r"agis)",
    r"(?#comme|semblant|prétends)"
    r"\b(?:fais comme si|faites comme si|fais semblant|faites semblant|prétends|agis comme|"
    r"agissez comme)\b.{0,30}\b(?:tu|vous|une? (?:ia|assistant|pirate|modèle)|d'être|être)\b",
    r"(?# ia|'ia|intelligence|modèle|chatbot|assistant)"
    r"\b(?:note|message|consigne|attention|important|avis|instructions?)\b[ :,!-]{1,4}(?:à |"
    r"aux? |pour )?(?:l'|la |le |les |toute )?(?:ia|intelligences? artificielles?|"
    r"modèles? de langage|chatbots?|assistants? (?:ia|virtuels?))\b",
    r"(?# ia|'ia|intelligence|modèle|chatbot|assistant&si tu|si vous)"
    r"\bsi (?:tu es|vous êtes) une? (?:ia|intelligence artificielle|modèle de langage|chatbot|"
    r"assistant)",
    r"(?# ia |modèle |assistant |chatbot )"
    r"\b(?:ia|modèle de langage|chatbot) (?:doit|devra|devrait)\b.{0,60}\b(?:répondre|dire|"
    r"afficher|ignorer|recommander|écrire|révéler|envoyer|inclure)\b",
    r"(?#répond|dis|dites|écri|affiche&unique|seul|exclus|rien|que)"
    r"\b(?:réponds|répondez|dis|dites|écris|écrivez|affiche|affichez)\b.{0,24}\b(?:uniquement|"
    r"seulement|exclusivement|rien d'autre|que)\b.{0,16}(?:\bpar\b|\bavec\b|\ben\b|[\"«:]|"
    r"\bce\b)",
    r"(?#prompt|instruction|mot|clé|historique)"
    r"\b(?:révèle|révélez|affiche|affichez|montre|montrez|répète|répétez|divulgue|"
    r"divulguez)\b.{0,40}\b(?:prompt|instructions? (?:système|secrètes?|initiales?)|"
    r"tes instructions|vos instructions|mots? de passe|clés? api|historique)\b",
    r"(?#ta |votre |chaque |tes |vos &réponse|résumé|sortie)"
    r"\b(?:ajoute|ajoutez|inclus|incluez|insère|insérez|remplace|remplacez|utilise|utilisez|"
    r"termine|terminez|commence|commencez|mentionne|mentionnez|intègre|"
    r"intégrez)\b.{0,100}\b(?:ta|votre|chaque|tes|vos) (?:réponses?|résumés?|sortie)\b",
    r"(?#instruction|consigne|utilisateur|source&pas|jamais)"
    r"\bne (?:mentionne|mentionnez|révèle|révélez|dis|dites|cite|citez)\b.{0,12}\b(?:pas|"
    r"jamais)\b.{0,40}\b(?:cette (?:instruction|consigne)|ces (?:instructions|consignes)|"
    r"à l'utilisateur|sources?)\b",
    r"(?#nouvelle)"
    r"\bnouvelles? (?:instructions?|consignes?|tâche) ?:",
    r"(?#http|www.|@)"
    r"\b(?:envoie|envoyez|transmets|transmettez|transfère|transférez)\b.{0,60}\b(?:conversation|"
    r"historique|données|documents?|contenu)\b.{0,60}(?:https?:|www\.|@)",
)

SPANISH: tuple[str, ...] = (
    r"(?#ignor|olvid|omit|omita|descart|caso omiso|no sigas|no siga)"
    r"\b(?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar|en)|omit(?:e|a|ir)|descart(?:a|e)|haz caso omiso|"
    r"haga caso omiso|no sigas|no siga)\b.{0,40}\b(?:instrucci(?:ones|ón)|indicaciones|reglas|"
    r"órdenes|directrices|prompts?|anteriores|previas|todo lo)\b",
    r"(?#ahora)"
    r"\b(?:ahora|desde ahora|a partir de ahora|de ahora en adelante),? (?:eres|serás|actúa|"
    r"actúe|responde|responda|tú|usted|ignora|debes)\b",
    r"(?#actú|compórtate|finge|finja|haz como|simula)"
    r"\b(?:actúa|actúe|compórtate|finge|finja|haz como|simula)\b.{0,20}\b(?:como (?:si|"
    r"una? (?:ia|asistente|modelo|pirata|administrador))|que eres|ser)\b",
    r"(?# ia|inteligencia|modelo|chatbot|asistente)"
    r"\b(?:nota|mensaje|atención|importante|aviso|instrucci(?:ón|ones))\b[ :,!-]{1,3}(?:a |al |"
    r"para )?(?:la |el |los |las |toda )?(?:ia|inteligencias? artificial(?:es)?|"
    r"modelos? de lenguaje|chatbots?|asistentes? (?:de ia|virtual(?:es)?))\b",
    r"(?#si eres)"
    r"\bsi eres una? (?:ia|inteligencia artificial|modelo de lenguaje|chatbot|asistente)\b",
    r"(?# ia |modelo |asistente |chatbot )"
    r"\b(?:ia|modelo de lenguaje|chatbot) (?:debe|deberá|debería|"
    r"tiene que)\b.{0,60}\b(?:responder|decir|mostrar|ignorar|recomendar|escribir|revelar|"
    r"enviar|incluir)\b",
    r"(?#respond|contest|di |diga|escrib|muestr&solo|sólo|únicamente|solamente|exclusivamente|"
    r"nada)"
    r"\b(?:responde|responda|contesta|conteste|di|diga|escribe|escriba|muestra|"
    r"muestre)\b.{0,24}\b(?:solo|sólo|únicamente|solamente|exclusivamente|"
    r"nada más que)\b.{0,16}(?:\bcon\b|\ben\b|[\"«:]|\bla\b|\bel\b)",
    r"(?#prompt|instrucciones|contraseña|clave|historial)"
    r"\b(?:revela|revele|muestra|muestre|imprime|imprima|repite|repita|divulga|"
    r"divulgue)\b.{0,40}\b(?:prompt|instrucciones (?:del sistema|secretas|iniciales)|"
    r"tus instrucciones|sus instrucciones|contraseñas?|claves? (?:de )?api|historial)\b",
    r"(?#respuesta|resumen|resúmen|salida&tu |tus |su |cada )"
    r"\b(?:añade|añada|agrega|agregue|incluye|incluya|inserta|inserte|reemplaza|reemplace|"
    r"sustituye|sustituya|usa|use|termina|termine|empieza|empiece|menciona|"
    r"mencione)\b.{0,100}\b(?:en|a|de|con) (?:tu|tus|su|cada) (?:respuestas?|resúmen(?:es)?|"
    r"resumen|salida)\b",
    r"(?#no &instruc|orden|órdenes|usuario|fuente)"
    r"\bno (?:menciones|mencione|reveles|revele|digas|diga|cites|"
    r"cite)\b.{0,40}\b(?:esta (?:instrucción|orden)|estas (?:instrucciones|órdenes)|al usuario|"
    r"fuentes?)\b",
    r"(?#nueva)"
    r"\bnuevas? (?:instrucci(?:ones|ón)|tarea|órdenes) ?:",
    r"(?#http|www.|@)"
    r"\b(?:envía|envíe|manda|mande|reenvía|reenvíe|transmite)\b.{0,60}\b(?:conversación|"
    r"historial|datos|documentos?|contenido)\b.{0,60}(?:https?:|www\.|@)",
)

ITALIAN: tuple[str, ...] = (
    r"(?#ignora|ignori|dimentica|trascura|non segui)"
    r"\b(?:ignor(?:a|ate|are|i)|dimentica(?:te|re)?|trascura(?:te)?|non (?:seguire|"
    r"seguite))\b.{0,40}\b(?:istruzion[ei]|indicazioni|regole|ordini|direttive|comandi|prompt|"
    r"precedenti|tutto (?:ciò|quello))\b",
    r"(?#ora|adesso|da questo momento)"
    r"\b(?:ora|adesso|d'ora in poi|da ora in poi|da questo momento),? (?:sei|siete|sarai|agisci|"
    r"rispondi|ignora|devi)\b",
    r"(?#finta|fingi|comportati|agisci|simula)"
    r"\b(?:fai finta|fingi|fate finta|comportati|agisci|simula)\b.{0,24}\b(?:di essere|"
    r"come (?:se|un)|che (?:tu )?sia)\b",
    r"(?# ia| ai|'ia|intelligenz|modell|chatbot|assistent)"
    r"\b(?:nota|messaggio|attenzione|importante|avviso|istruzion[ei])\b[ :,!-]{1,3}(?:a |al |"
    r"all'|alle |per )?(?:l'|la |le |i |ogni )?(?:ia\b|ai\b|intelligenz[ae] artificial[ei]|"
    r"modell[oi] linguistic[oi]|chatbot|assistent[ei] (?:ia|virtual[ei]))",
    r"(?#se sei)"
    r"\bse sei (?:un'?|una )?(?:ia|intelligenza artificiale|modello linguistico|chatbot|"
    r"assistente)\b",
    r"(?# ia |modello |assistente |chatbot )"
    r"\b(?:ia|modello linguistico|chatbot) (?:deve|dovrà|dovrebbe)\b.{0,60}\b(?:rispondere|dire|"
    r"mostrare|ignorare|raccomandare|scrivere|rivelare|inviare|includere)\b",
    r"(?#rispond|di'|dite|scriv|mostra&solo|soltanto|solamente|esclusivamente|unicamente|nient)"
    r"\b(?:rispondi|rispondete|di'|dite|scrivi|scrivete|mostra|mostrate)\b.{0,24}\b(?:solo|"
    r"soltanto|solamente|esclusivamente|unicamente|nient'altro che)\b.{0,16}(?:\bcon\b|\bin\b|"
    r"[\"«:]|\bla\b|\bil\b)",
    r"(?#prompt|istruzioni|password|chiavi|cronologia)"
    r"\b(?:rivela|rivelate|mostra|mostrate|stampa|ripeti|ripetete|divulga)\b.{0,40}\b(?:prompt|"
    r"istruzioni (?:di sistema|segrete|iniziali)|tue istruzioni|vostre istruzioni|password|"
    r"chiavi api|cronologia)\b",
    r"(?#tua |tue |vostra |vostre |ogni &rispost|riassunt|output)"
    r"\b(?:aggiungi|aggiungete|includi|includete|inserisci|inserite|sostituisci|sostituite|usa|"
    r"usate|termina|terminate|inizia|iniziate|menziona|menzionate)\b.{0,100}\b(?:tua|tue|vostra|"
    r"vostre|ogni) (?:rispost[ae]|riassunt[oi]|output)\b",
    r"(?#non &istruzion|utente|fonti)"
    r"\bnon (?:menzionare|menzionate|rivelare|rivelate|dire|citare|"
    r"citate)\b.{0,40}\b(?:quest[ae] istruzion[ei]|all'utente|fonti)\b",
    r"(?#nuov)"
    r"\bnuov[aei] (?:istruzion[ei]|compito|ordini) ?:",
    r"(?#http|www.|@)"
    r"\b(?:invia|inviate|manda|mandate|inoltra|inoltrate|trasmetti)\b.{0,60}\b(?:conversazione|"
    r"cronologia|dati|documenti|contenuto)\b.{0,60}(?:https?:|www\.|@)",
)

PORTUGUESE: tuple[str, ...] = (
    r"(?#ignor|esque|desconsidera|desconsidere|não siga)"
    r"\b(?:ignor(?:e|a|em|ar)|esqueça|esquece|desconsidere|desconsidera|não siga|"
    r"não sigas)\b.{0,40}\b(?:instruç(?:ões|ão)|indicações|regras|ordens|diretrizes|comandos|"
    r"prompts?|anteriores|tudo o que)\b",
    r"(?#agora|de agora|você|tu )"
    r"\b(?:agora|a partir de agora|de agora em diante),? (?:você é|tu és|será|aja|age|responda|"
    r"responde|ignore|deve)\b|\b(?:você|tu) (?:agora é|és agora|passa a ser)\b",
    r"(?#finja|finge|aja |age |comporte-se|simule)"
    r"\b(?:finja|finge|aja|age|comporte-se|simule)\b.{0,24}\b(?:que é|que és|ser|como (?:se|"
    r"uma? (?:ia|assistente|modelo|pirata|administrador)))\b",
    r"(?# ia|inteligência|modelo|chatbot|assistente)"
    r"\b(?:nota|mensagem|atenção|importante|aviso|instruç(?:ão|ões))\b[ :,!-]{1,3}(?:a |à |às |"
    r"ao |aos |para )?(?:a |o |as |os |toda )?(?:ia|inteligências? artificia(?:l|is)|"
    r"modelos? de linguagem|chatbots?|assistentes? (?:de ia|virtua(?:l|is)))\b",
    r"(?#se você|se és|se for)"
    r"\bse (?:você é|és|for) uma? (?:ia|inteligência artificial|modelo de linguagem|chatbot|"
    r"assistente)\b",
    r"(?# ia |modelo |assistente |chatbot )"
    r"\b(?:ia|modelo de linguagem|chatbot) (?:deve|deverá|deveria|tem de|"
    r"tem que)\b.{0,60}\b(?:responder|dizer|mostrar|ignorar|recomendar|escrever|revelar|enviar|"
    r"incluir)\b",
    r"(?#responda|responde|diga|diz|escrev|mostr&só|apenas|somente|unicamente|exclusivamente|"
    r"nada)"
    r"\b(?:responda|responde|diga|diz|escreva|escreve|mostre|mostra)\b.{0,24}\b(?:só|apenas|"
    r"somente|unicamente|exclusivamente|nada além d)\b.{0,16}(?:\bcom\b|\bem\b|[\"«:]|\ba\b|"
    r"\bo\b)",
    r"(?#prompt|instruções|senha|palavra|chave|histórico)"
    r"\b(?:revele|revela|mostre|mostra|imprima|imprime|repita|repete|"
    r"divulgue)\b.{0,40}\b(?:prompt|instruções (?:do sistema|secretas|iniciais)|(?:suas|"
    r"tuas) instruções|senhas?|palavras?-passe|chaves? (?:de )?api|histórico)\b",
    r"(?#sua|tua|cada&resposta|resumo|saída)"
    r"\b(?:adicione|adiciona|acrescente|acrescenta|inclua|inclui|insira|insere|substitua|"
    r"substitui|use|usa|termine|termina|comece|começa|mencione|menciona)\b.{0,100}\b(?:na|à|da|"
    r"em|às?|nas|com a) (?:sua|suas|tua|tuas|cada) (?:respostas?|resumos?|saída)\b",
    r"(?#não &instruç|orde|usuário|utilizador|fonte)"
    r"\bnão (?:mencione|menciones|revele|reveles|diga|digas|cite|"
    r"cites)\b.{0,40}\b(?:esta (?:instrução|ordem)|estas (?:instruções|ordens)|ao (?:usuário|"
    r"utilizador)|fontes?)\b",
    r"(?#nova)"
    r"\bnovas? (?:instruç(?:ões|ão)|tarefa|ordens) ?:",
    r"(?#http|www.|@)"
    r"\b(?:envie|envia|mande|manda|encaminhe|encaminha|transmita)\b.{0,60}\b(?:conversa|"
    r"histórico|dados|documentos?|conteúdo)\b.{0,60}(?:https?:|www\.|@)",
)

CHINESE: tuple[str, ...] = (
    r"(?:忽略|无视|無視|忘记|忘掉|忘記|不要理会|不要理會|不要遵守|不要遵循|绕过|"
    r"繞過).{0,12}(?:指令|指示|提示|规则|規則|要求|命令|说明|說明|设定|設定|一切|所有内容|"
    r"所有內容)",
    r"(?:(?:从现在起|从现在开始|從現在起|從現在開始)[，,]? ?(?:你|您|请|請|只|忽略)|现在你是|"
    r"現在你是|你现在是|你現在是|你将扮演|你將扮演|请扮演|請扮演|假装你是|假裝你是|你不再是)",
    r"(?:致|给|給|对|對|提醒|注意).{0,6}(?:人工智能|人工智慧|大?语言模型|大?語言模型|聊天机器人|"
    r"聊天機器人|ai)(?:助手|模型|系统|系統|读者)?[：:,，!！]",
    r"如果你是.{0,6}(?:人工智能|人工智慧|语言模型|語言模型|机器人|機器人|ai)",
    r"(?:ai|人工智能|模型|助手)(?:必须|必須|应当|應當|应该|應該|务必|務必).{0,20}(?:回答|回复|"
    r"回覆|输出|輸出|忽略|推荐|推薦|发送|發送|说|說)",
    r"(?:只|仅|僅|只能|只需|务必只)(?:需要?)?(?:回答|回复|回覆|输出|輸出|返回|说|"
    r"說)[：:“\"「『]?",
    r"(?:显示|顯示|输出|輸出|泄露|洩露|透露|重复|重複|打印).{0,10}(?:系统提示|系統提示|提示词|"
    r"提示詞|你的指令|密码|密碼|密钥|密鑰|api ?key|聊天记录|对话记录|對話記錄)",
    r"(?:在|将|將|把|请|請).{0,24}(?:你的|您的|每个|每次|每個)(?:回答|回复|回覆|答复|答覆|输出|"
    r"輸出|摘要)(?:中|里|裡|末尾|开头|開頭|结尾|結尾|后|後)?.{0,20}(?:加入|添加|加上|包含|提到|"
    r"插入|替换|替換|使用|推荐|推薦|写上|寫上|改成)",
    r"(?:不要|不得|请勿|請勿|切勿).{0,6}(?:告诉|告訴|提及|透露|引用|提到).{0,10}(?:用户|用戶|"
    r"使用者|此指令|这条指令|本指令|该指令|来源|來源)",
    r"新(?:的)?(?:指令|任务|任務|指示)[：:]",
    r"(?:将|將|把).{0,16}(?:对话|對話|聊天|数据|數據|文件|内容|內容|记录|記錄).{0,10}(?:发送|"
    r"發送|发到|發到|上传|上傳|转发|轉發).{0,12}(?:http|www|@|到)",
)
