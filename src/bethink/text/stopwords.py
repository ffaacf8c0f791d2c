"""Words too common to search for, and the languages they give away.

Every word is written the way the term analysis leaves it before stemming: lower case, without accents or
apostrophes. Latin script is shared by many languages, so each has a list of its own and a vote decides which
one applies; elsewhere the script decides.
"""

from __future__ import annotations

ENGLISH = "english"

_LATIN = {
    ENGLISH: """
        a an the i me my mine myself you your yours yourself he him his himself she her hers herself it
        its itself we us our ours ourselves they them their theirs themselves this that these those who
        whom whose which what when where why how there here am is are was were be been being do does did
        done doing has have had having can could will would shall should may might must and or but nor
        if then than so as because while until of at by for with about against between into through
        during before after above below to from up down in out on off over under again further once all
        any both each few more most other some such no not only own same too very just now s t d m ll re
        ve dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant cannot couldnt wont wouldnt
        shouldnt mustnt aint""",
    "spanish": """
        el la los las un una unos unas lo al del de a en y e o u que quien quienes cual cuales cuando
        donde como cuanto por para con sin sobre entre hasta desde durante segun contra mi mis tu tus su
        sus nuestro nuestra yo me te se le les nos vos os ella ellos ellas usted ustedes nosotros este
        esta estos estas ese esa esos esas eso esto aquel aquella si no ni ya muy mas menos tan tambien
        pero porque pues aunque es soy eres son somos era eran fue fueron ser sido estar estoy estas
        estamos estan estaba estaban ha han he has hemos habia haber hay tiene tienen tengo algo alguien
        cada todo toda todos todas otro otra""",
    "german": """
        der die das den dem des ein eine einen einem einer eines und oder aber denn weil dass ob wenn
        als wie wo wer wen wem was wann warum woher wohin welche welcher welches ich mich mir mein meine
        meinen meinem meiner du dich dir dein deine er sie es ihn ihm ihr ihre ihren ihrem sein seine
        seinen wir uns unser unsere euch man sich in im an am auf aus bei beim mit nach seit von vom zu
        zum zur fur uber unter vor durch gegen ohne um nicht kein keine keinen nur noch schon auch so
        sehr doch mal da dort hier dann jetzt bin bist ist sind seid war warst waren wird werden wurde
        wurden habe hast hat haben hatte hatten kann konnen konnte muss mussen soll sollte will wollen
        wollte mag mochte also""",
    "french": """
        le la les un une des du de l d au aux et ou mais donc or ni car que qui quoi quel quelle quels
        quelles dont quand comment pourquoi combien je j me m moi mon ma mes tu te t toi ton ta tes il
        elle on se s son sa ses nous notre nos vous votre vos ils elles leur leurs lui eux ce c cet
        cette ces ca cela qu ne n pas plus moins tres aussi bien si y en a dans par pour sur sous avec
        sans chez entre vers depuis pendant suis es est sommes etes sont etais etait etaient ete etre ai
        as avons avez ont avait avaient avoir fait tout tous toute toutes meme""",
    "italian": """
        il lo la i gli le un uno una l d di a da in con su per tra fra del dello della dei degli delle
        dell al allo alla ai agli alle all dal dalla dai dalle nel nella nei nelle nell sul sulla sui
        sulle e ed o ma se che chi cui quale quali quando dove come perche quanto io mi me mio mia miei
        mie tu ti te tuo tua tuoi lui lei si suo sua suoi noi ci nostro nostra voi vi vostro loro questo
        questa questi queste quello quella quelli non piu meno molto anche gia ancora sono sei siamo
        siete era erano stato stata essere ho hai ha abbiamo avete hanno aveva avevano avere fa cosa
        tutto tutti tutte""",
    "portuguese": """
        o a os as um uma uns umas de do da dos das em no na nos nas ao aos pelo pela por para com sem
        sobre entre ate desde e ou mas nem que quem qual quais quando onde como quanto porque eu me mim
        meu minha meus minhas tu te teu tua voce voces ele ela eles elas se seu sua seus suas lhe nosso
        nossa nossos isso isto este esta estes estas esse essa esses essas aquele aquela aquilo nao sim
        ja muito mais menos tao tambem so sou es somos sao era eram foi foram ser sido estou esta
        estamos estao estava estavam tem tenho tinha ter ha vai vou todo toda todos todas cada""",
    "dutch": """
        de het een en of maar want dat die dit deze wie wat waar wanneer waarom hoe welke welk ik mij me
        mijn jij je jou jouw u uw hij hem zijn zij ze haar wij we ons onze jullie hun zich er van in op
        te tot met voor bij aan uit naar om over door onder tegen zonder niet geen ook nog al wel dan
        toen nu hier daar zo heel erg zeer als omdat ben bent is was waren worden wordt werd heb hebt
        heeft hebben had hadden kan kunnen zal zou moet wil wilde""",
    "swedish": """
        en ett den det de dem och eller men att som om nar var vad vem vilken vilka varfor hur jag mig
        min mitt mina du dig din ditt dina han honom hans hon henne hennes vi oss var vara ni er deras
        sig sin sitt sina i pa av for till fran med utan vid under over efter mellan mot inte ingen inga
        inget bara ocksa mycket nu da har hade haft ar blir blev kan kunde ska skulle vill ville denna
        detta dessa dar""",
    "danish": """
        en et den det de dem og eller men at som om nar hvor hvad hvem hvilken hvilke hvorfor hvordan
        jeg mig min mit mine du dig din dit dine han ham hans hun hende hendes vi os vores i jer deres
        sig sin sit sine pa af for til fra med uden ved under over efter mellem mod ikke ingen kun ogsa
        meget nu da er var vaere vaeret har havde haft bliver blev kan kunne skal skulle vil ville denne
        dette disse der""",
    "norwegian": """
        en ei et den det de dem og eller men at som om nar hvor hva hvem hvilken hvilke hvorfor hvordan
        jeg meg min mitt mine du deg din ditt dine han ham hans hun henne hennes vi oss var vart i dere
        deres seg sin sitt sine pa av for til fra med uten ved under over etter mellom mot ikke ingen
        bare ogsa veldig na da er vaert vaere har hadde hatt blir ble kan kunne skal skulle vil ville
        denne dette disse der""",
}

# Listed above under another language, but English words too, or single letters: they prove nothing.
_ENGLISH_TOO = """
    ai also ar ate bara bare ben bent bin c car com come comment como con contra d dan dar den die dig
    din dine dit door dos dove e ella elle era fait fur ha ham han hans har hast hat hay heel hem ho hoe
    hon hun hur im j jag jou kun l mag mal man mas med meg meme men mes met mia mig min mina mis mit mod
    mot n non o ob om par para pendant per plus pour sans sei sig sim sin sine sit son sous soy tan tem
    ter till todo ton tot tout tra tres u var vers vid want war wel wil wilde y"""

# Listed above too, and known to English from names and initials: Los Angeles, van Gogh. Two make a proof.
_IN_NAMES = """
    af al alla als att au aus aux av bei ble ca ces chi ci cosa da dai dal das de dei del dell della der
    des det di dir du ed ei el em en entre er erg es esa ese esse est este et eu fa fra fran hai hier il
    io ist ja je kan la las le lei les lo los lui ma mi mio mir mon na nas ne nei nell ni nog nos nu nur
    ons op os ou pa pas pero qu qui sa sao se seg sem ser ses si sina ska som sou su sui sur sus ta tao
    te ti til toi tu tua um un una uno van vara ved vi vil ville von vor wat wen wie wo ya yo ze zo"""

# Chinese, Japanese and Korean are searched by pairs of characters, so these are pairs; in Korean, also the
# first syllables that short words give.
_OTHER_SCRIPTS = {
    "russian": """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне
        было вот от меня еще нет о из ему когда даже ну ли если уже или ни быть был него до вас нибудь
        вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам
        чтоб без будто чего тоже себе под будет тогда кто этот того потому этого какой какая какие ним
        здесь этом мой моя мои мое наш наша почти чтобы нее были куда зачем всех можно при об это эта
        эти твой твоя ваш ваша свой своя""",
    "ukrainian": """
        і та що як це я ти він вона воно ми ви вони мій моя мої твій його її їх наш ваш у в на з із зі
        до від для про при без під над не ні так але або чи якщо коли де хто який яка які чому був була
        було були є бути цей ця ці той""",
    "greek": """
        ο η το οι τα του τησ των τον την τουσ τισ ενασ μια ενα και κι να θα δεν δε μη μην που πωσ ποτε
        ποιοσ ποια ποιο τι γιατι αν ωσ σε στο στη στην στον στα με για απο προσ κατα μετα χωρισ εγω εσυ
        αυτοσ αυτη αυτο μου σου μασ σασ ειναι ειμαι εισαι ηταν εχω εχει εχουν ειχε""",
    "arabic": """
        في من علي الي عن مع هذا هذه ذلك تلك هو هي هم انا انت نحن ما ماذا متي اين كيف لماذا هل لا لم لن
        ليس ان او ثم قد كان كانت يكون كل بعد قبل بين عند التي الذي و يا""",
    "hebrew": """
        של את על אל עם לא כן הוא היא הם הן אני אתה אנחנו זה זאת זו מה מי איפה מתי למה איך אם או גם כי רק
        יש אין היה היתה""",
    "hindi": """
        और का के की को में से पर है हैं था थी थे हो होता ने यह वह ये वे मैं मैंने मुझे मेरा मेरी मेरे
        तुम आप आपका हम हमारा उस इस क्या कब कहाँ कहां क्यों कैसे कौन नहीं भी तो ही या एक लिए तक कि जो""",
    "chinese": """
        什么 什麼 怎么 怎麼 么样 麼樣 为什 為什 我们 我們 你们 你們 他们 他們 她们 这个 這個 那个 那個
        没有 沒有 一个 一個 可以 因为 因為 所以 不是 是不 是什 的是 我的 你的 他的 她的 了吗 的吗 是我
        是谁 在哪 哪里 哪裡 时候 時候 么时 么是""",
    "japanese": """
        です ます まし した して いる ある する こと から ので って ない では には とは すか たか のは
        のか のが のを んで った""",
    "korean": """
        나 저 내 제 우 무 어 언 누 뭐 있 나는 저는 내가 제가 나의 우리 무엇 어디 언제 누가 누구
        뭐야 나요 니까 습니 입니 있어 있나 하는 에서""",
}

WORDS_OF = {language: frozenset(words.split()) for language, words in _LATIN.items()}
IN_OTHER_SCRIPTS = frozenset(word for words in _OTHER_SCRIPTS.values() for word in words.split())
LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(language for language, words in WORDS_OF.items() if word in words)
    for word in frozenset().union(*WORDS_OF.values())
}
PROOFS = frozenset(LANGUAGES_OF) - WORDS_OF[ENGLISH] - frozenset(_ENGLISH_TOO.split())
HALF_PROOFS = frozenset(_IN_NAMES.split())

# Characters of Chinese and Japanese too common to be worth a term of their own; their pairs are still terms.
COMMON_HAN = frozenset(
    "的了是我你他她它们們这這那在有不和也就都吗嗎呢吧啊很么麼个個会會要说說什谁誰怎一以可因为為所没沒哪"
)
