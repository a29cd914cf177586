"""Function words by language: words that say nothing about what a chunk is about."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS = {
    "ca": """
        a al als amb aquest aquesta aquestes aquests això d de del dels els el en ens entre era es
        està ha han hi i és són l la les li lo m me més n ni no o on per perquè però qual quan què
        que qui s sense ser si sobre t també un una uns unes us va
    """,
    "cs": """
        a aby ale ani až bez by byl byla bylo byly být co což do i ile jak jako je jeho jej jejich
        její jen jsem jsme jsou k kde kdo kdy kdyby který která které kteří ke když ko mezi mi
        může na nad ne nebo než o od po pod podle pro proto protože před při s se si so ta tak
        také tato te ten tedy této tím to tom toto tu ty u v ve však z za ze že
    """,
    "da": """
        ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din
        dog du efter eller en end er et for fra ham han hans har havde have hendes her hun hvad
        hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind jeg jer jo
        kan kunne man mange med meget men mig min mine mit mod ned noget nogle nu når og også om
        op os over på selv sig sin sine sit skal skulle som sådan thi til ud under var vi vil
        ville vor være været
    """,
    "de": """
        ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer
        anderes auch auf aus bei beim bin bis bist da dabei dadurch dafür damit dann das dass
        dasselbe dazu daß dein deine deinem deinen deiner dem den denn der deren des dessen dich
        die dies diese dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch ein
        eine einem einen einer eines einige einigen einiger einiges er es etwas euch euer eure
        eurem euren eurer für gegen gewesen hab habe haben hat hatte hatten hattest hier hin
        hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist ja jede
        jedem jeden jeder jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen
        keiner können könnte man manche manchem manchen mancher manches mein meine meinem meinen
        meiner mich mir mit muss musste müssen nach nicht nichts noch nun nur ob oder ohne sehr
        sein seine seinem seinen seiner seines seit selbst sich sie sind so sogar solche solchem
        solchen solcher solches soll sollen sollte sondern sonst sowie über um und uns unser
        unsere unserem unseren unserer unter viel vom von vor wann war waren warst warum was weil
        welche welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie
        wieder will wir wird wirst wo wobei wofür wohin wollen wollte womit worden woran wovon
        wozu wurde wurden während würde würden zu zum zur zwar zwischen
    """,
    "el": """
        αλλά αν από αυτά αυτές αυτή αυτήν αυτό αυτοί αυτός αυτού αυτούς αυτών για γιατί δε δεν εγώ
        είμαι είναι εκείνη εκείνο εκείνος εμείς ένα έναν ένας ενός επειδή εσείς εσύ ή ήταν η θα
        και κάθε κατά κι μα με μέσα μετά μη μην μια μία μας μου να ο οι όμως όπως όταν ότι όχι πιο
        ποια ποιες ποιο ποιοι ποιος πολύ πού που πόσο πότε πριν προς πώς πως σαν σας σε στα στη
        στην στις στο στον στους σου τα τη την της τι τις το τον του τους των ως
    """,
    "en": """
        a about above after again against all am an and any are aren as at be because been before
        being below between both but by can cannot could couldn d did didn do does doesn doing don
        down during each few for from further had hadn has hasn have haven having he her here hers
        herself him himself his how i if in into is isn it its itself just let ll m me might more
        most must mustn my myself no nor not of off on once only or other ought our ours ourselves
        out over own re s same shall shan she should shouldn so some such t than that the their
        theirs them themselves then there these they this those through to too under until up upon
        us ve very was wasn we were weren what when where whether which while who whom whose why
        will with within without won would wouldn you your yours yourself yourselves
    """,
    "es": """
        a al algo algunas alguno algunos ante antes aquel aquella aquellas aquello aquellos aun
        aunque cada como con contra cual cuales cualquier cuando cuanto cuanta cuantas cuantos
        cuyo cuya cuyas cuyos cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde
        donde durante dónde e el ella ellas ello ellos en entonces entre era eran eras eres es esa
        esas ese eso esos esta estaba estaban estado estamos estar estas este esto estos estoy
        está están fue fueron fui ha había habían haber habrá han has hasta hay he hemos la las le
        les lo los me mi mis mucho muchos muy más mí mía mío nada ni no nos nosotros nosotras
        nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque
        pues que quien quienes quién quiénes qué se sea sean según ser si sido sin sobre sois
        somos son soy su sus suya suyo sí también tampoco tan tanto te tenemos tener tenía tiene
        tienen todo todos tu tus tú u un una unas uno unos usted ustedes vosotras vosotros vuestra
        vuestro y ya yo él
    """,
    "fi": """
        ei eivät eli ellei en ennen entä et että he heidän heidät heille heillä heitä hän häneen
        hänelle hänellä häneltä hänen hänestä hänet häntä itse ja jo joiden joihin joilla joille
        joissa joista joita joka jolla jolle jonka jos jossa josta jota jotka jotta kanssa keiden
        keitä kenen kenet ketkä ketä koska kuin kuka kun kuten me meidän meidät meille meillä
        meitä mihin mikä mikäli miksi millainen millä milloin mille minkä minulla minulle minun
        minut minä missä mistä miten mitkä mitä mukaan mutta myös ne niiden niille niillä niin
        niissä niistä niitä noin nuo nyt nämä näiden näissä näitä ole olen olet oli olimme olin
        olit olivat olla olleet ollut on ovat se sekä sen siihen siinä siis siitä sille sillä
        sinulla sinulle sinun sinut sinä sitä tai te teidän teidät teille teillä teitä tuo tähän
        tälle tällä tämä tämän tästä tässä tätä vaan vai vain vaikka voi
    """,
    "fr": """
        a afin ai ainsi alors au aucun aucune aura aussi autre autres aux avaient avais avait
        avant avec avez avoir avons ayant c car ce ceci cela celle celles celui cependant ces cet
        cette ceux chaque chez ci comme comment d dans de depuis des donc dont du durant elle
        elles en encore entre es est et eu eux fut furent il ils j je jusqu l la laquelle le
        lequel les lesquelles lesquels leur leurs lors lorsqu lorsque lui là m ma mais me mes moi
        moins mon même mêmes n ne ni nos notre nous on ont or ou où par parce pas peu peut peuvent
        plus plusieurs pour pourquoi puis puisque qu quand que quel quelle quelles quels qui quoi
        s sa sans se selon sera serait seront ses si sien soit son sont sous suis sur t ta te tes
        toi ton tous tout toute toutes tu un une vers vos votre vous y à ça étaient étais était
        étant été êtes être
    """,
    "hu": """
        a abban ahhoz ahogy ahol aki akik akkor alatt amely amelyek ami amit amikor annak arra az
        azok azon azonban azt azért be benne csak de e egy egyes egyéb el ennek erre ez ezek ezen
        ezt ezért fel ha hanem hogy hogyan honnan hova hol illetve ilyen is ki kik kell kellett
        között le lehet lesz lett ma meg mely melyek mert mi miatt mikor milyen minden mint mit
        miért már még nagyon ne nem nincs olyan ott pedig sem s szerint számára ti te több utána
        vagy van vannak volna volt voltak után által át én és így ő ők őket össze úgy
    """,
    "it": """
        a abbia abbiamo abbiano ad agli ai al alcuna alcune alcuni alcuno alla alle allo allora
        altra altre altri altro anche ancora avere aveva avevano avuto c che chi ci ciò coi col
        come con contro cosa così cui d da dagli dai dal dalla dalle dallo degli dei del dell
        della delle dello dentro di dopo dove dunque durante e ed egli era erano essa esse essendo
        essere essi esso fino fra fu furono gli ha hai hanno ho i il in io l la le lei li lo loro
        lui ma me mentre mi mia mie miei mio molti molto ne negli nei nel nell nella nelle nello
        noi non nostra nostre nostri nostro né o od ogni oppure per perché perciò però più poi
        presso prima proprio può qual quale quali quando quanta quante quanti quanto quella quelle
        quelli quello questa queste questi questo qui quindi sarà se senza si sia siamo siano
        siete solo sono sopra sotto sta stata state stati stato su sua sue sugli sui sul sulla
        sulle sullo suo suoi tale tali tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno
        v vi voi vostra vostre vostri vostro è
    """,
    "nl": """
        aan af al alles als altijd ander andere anderen ben bij daar daarom dan dat de der deze
        die dit doch doen dor door dus een en er ge geen had hadden heb hebben heeft hem het hier
        hij hoe hun iets ik in is ja je jij jou jullie kan kon konden kunnen maar me meer men met
        mij mijn moet moeten na naar niet niets nog nu of om omdat ons onze ook op over te tegen
        tijdens toch toen tot u uit uw van veel voor waar waarom wanneer want waren was wat we
        weer welk welke werd werden wie wij wil worden wordt zal ze zei zelf zich zij zijn zo
        zoals zonder zou zouden
    """,
    "no": """
        alle at av bare begge ble blei bli blir blitt både da de deg dei deira deires dem den
        denne der dere deres det dette di din disse du eg ein eit eller en enn er et ett etter for
        fordi fra før ha hadde han hans har hennar henne hennes her hun hva hvem hver hvilke
        hvilken hvis hvor hvordan hvorfor i ikke ikkje inn ja jeg kan kunne kva kven man mange med
        meg meget mellom men mi min mine mitt mot mye når ned noe noen nå og også om opp oss over
        på samme seg selv si sia sidan siden sin sine sitt skal skulle slik so som til um under ut
        uten var vart ved vere vi vil ville vore vår være vært å
    """,
    "pl": """
        a aby albo ale ani aż bardzo bez bo być był była było były będzie co coś czy dla do gdy
        gdzie go i ich ile im in iż ja jak jako jakie je jednak jego jej jemu jest jestem jeszcze
        jeśli już każdy kiedy kto która które którego której który których którym którzy lub ma
        mają mi mnie może my na nad nam nas nich nie niej nim niż o od on ona one oni oraz po pod
        podczas ponieważ poza przed przez przy są się sobie swoje ta tak także tam te tego tej ten
        też to tu tych tylko tym u w we wszystko z za ze że
    """,
    "pt": """
        a ao aos aquela aquelas aquele aqueles aquilo as até cada com como contra cuja cujo da das
        de dela delas dele deles depois desde do dos durante e ela elas ele eles em entre era eram
        essa essas esse esses esta estas estava estavam este estes estou está estão eu foi foram
        for fosse haver havia há isso isto já la lhe lhes lo mais mas me mesmo meu meus minha
        minhas muito na nas nem no nos nossa nossas nosso nossos num numa não nós o onde os ou
        outra outras outro outros para pela pelas pelo pelos pois por porque porquê pode quais
        qual quando quanto quantos que quem quê se seja sem sendo ser será seu seus sido sob sobre
        somos sou sua suas são só também te tem teu teus tinha tinham toda todas todo todos tu tua
        tuas tém têm um uma umas uns você vocês vos à às é
    """,
    "ro": """
        a ai al ale am ar are as asta au aceasta această aceste acest acestea acestei acestor
        acestui ca care cât când ce cei cel cele cine cu cum cui da dar de deci deși din după ea
        ei el ele era este eu fi fie fost în între într îi îl îmi își la le li lor lui mai mult
        nici noi nu o ori pe pentru până prin s sa sau se și sunt spre sub să său tot un una unde
        unei unor unui va vor
    """,
    "ru": """
        а без более больше был была были было быть в вам вас вдруг ведь во вот впрочем все всегда
        всего всех всю вы где да даже два для до его ее ей ему если есть еще ж же за зачем здесь и
        из или им иногда их к как какая какие каких какой какого какую ко когда которая которого
        которой которые который которых кто куда ли лучше между меня мне много может можно мой моя
        мы на над надо наконец нас не него нее ней нельзя нет ни нибудь никогда ним них ничего но
        ну о об один он она они оно опять от перед по под после потом потому почему почти при про
        раз разве с сам свою своей своего себе себя сейчас со совсем сколько так также такой там
        тебя тем теперь то тогда того тоже только том тот три тут ты у уж уже хоть чего чей чем
        через что чтоб чтобы чуть эта эти этим этих это этого этой этом этот эту я
    """,
    "sv": """
        alla allt att av blev bli blir blivit de dem den denna deras dess dessa det detta dig din
        dina ditt du där efter eftersom ej eller en er era ert ett från för ha hade han hans har
        henne hennes hon honom hur här i icke ingen inom inte jag ju kan kunde man med mellan men
        mig min mina mitt mot mycket ni nu när någon något några och om oss på samma sedan sig sin
        sina sitta självt ska skulle som så sådan sådana till under upp ut utan vad var vara
        varför varit varje vars vart vem vems vi vid vilka vilkas vilken vilket vår våra vårt är
        över
    """,
    "tr": """
        acaba ama ancak bana bazı belki ben beni benim bir biri birkaç biz bize bizi bizim bu buna
        bunda bundan bunlar bunu bunun da daha de defa değil diye dolayı en gibi göre hangi hem
        hep hepsi her hiç ile ise için kadar kendi ki kim kimi mi mu mü mı nasıl ne neden nerede
        nereye niçin niye o olan olarak oldu olduğu ona ondan onlar onları onların onu onun sana
        sen seni senin siz size sizi sizin sonra tüm ve veya ya yani şey şu
    """,
    "uk": """
        а або але без би був була були було бути в вам вас ви від він вона вони воно все всі де
        для до є ж за з зі із й його її їх їм і коли кого кому ким крім ли між мене мені ми мій
        моя може на над нам нас наш не ним них ні о об по під після при про та так також там те ти
        тим тих то того той тому тільки у хто це цей цього цієї ці цих чи чим чому що щоб я як яка
        яке який які якого якої яких
    """,
}

STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _WORDS.items()
}
"""ISO 639-1 code to lower-case words with their accents."""
