"""How people call secrets, what they are the secret of, and how they go on to tell them. Pure.

In the languages there are rules for (English, German, Spanish, French, Portuguese, Chinese) and a few others.
"""

from __future__ import annotations

import re


def any_of(words: str) -> str:
    """An expression for any of the words, which are parted by bars; a space stands for one or two."""
    return "(?:" + re.sub(r"\s+", r"\\s{1,2}", re.sub(r"\s*\|\s*", "|", words.strip())) + ")"


STARTS = "(?<![A-Za-zÀ-ɏ0-9])"  # not in the middle of a word; other scripts have no spaces to tell by
ENDS = "(?![A-Za-zÀ-ɏ0-9])"

PASSWORDS = any_of(
    """passwords? | pass word | pass code | passcode | passphrase | pass phrase | passwd | pwd? | psw |
    pw | pword | recovery phrase | seed phrase | master key | security answer | secret question |
    passw[oö]rt(?:e[sr]?)? | kennwort | kennwörter | losung | zugangsdaten | contraseñas? |
    contrasenas? | contraseña maestra | contra | clave | claves | clave de acceso | clave secreta |
    palabra clave | frase semilla | mots? de passe | mot d[e'] ?pass | mdp | mots? d'passe |
    phrase secrète | phrase de récupération | senhas? | palavra[ -]?passe | palavra[ -]chave |
    passe do | passe da | frase[ -]semente | parola | wachtwoord | hasło | пароль | 密码 | 密碼 | 口令 |
    暗号 | 通关语 | 助记词 | パスワード | 비밀번호"""
)
WEAK_PASSWORDS = any_of("pass | passe")  # a bus has one too
PINS = any_of(
    """pins? | pin[ -]code | pin number | pin-?nummer | pin-?code | geheimzahl | geheimnummer |
    kartenpin | puk | nip | código pin | número secreto | clave de la tarjeta | código secreto |
    code pin | code secret | code confidentiel | code de (?:la )?carte(?: bleue| bancaire)? | code cb |
    código do (?:multibanco|cartão) | código multibanco | código da tarjeta | cvv2? | cvc2? | csc |
    security code | kartenprüfnummer | prüfziffer | cryptogramme | otp | 2fa code |
    one[ -]time (?:pass)?code | verification code | confirmation code | authentication code | mtan |
    tan-?nummer | código de (?:verificación|seguridad|seguretat|segurança|verificação) |
    bestätigungscode | sicherheitscode | code de (?:vérification|sécurité) | 验证码 | 驗證碼 | 校验码 |
    安全码 | 取款密码 | 支付密码"""
)
KEYS = any_of(
    """api[ _-]?keys? | secret | secret[ _-]?key | secret[ _-]access[ _-]key | access[ _-]?key |
    access[ _-]?token | auth[ _-]?token | refresh[ _-]?token | bot[ _-]?token | runner[ _-]?token |
    client[ _-]?secret | private[ _-]?key | signing[ _-]?key | license[ _-]?key | encryption[ _-]?key |
    recovery[ _-]?(?:key|code)s? | backup[ _-]?codes? | token | credentials? | webhook secret |
    clave api | clave de api | llave | llave de api | llave privada | chave | chave de api |
    chave privada | clé api | clé d'api | clé secrète | clé privée | clé | jeton | api[ -]?schlüssel |
    zugangsschlüssel | lizenzschlüssel | schlüssel | 密钥 | 密鑰 | 令牌 | 私钥 | 私鑰 | 金鑰"""
)
LOGINS = any_of(
    """log[ -]?ins? | log[ -]?on | logged in with | sign[ -]?in | credentials | creds? | username |
    user name | user | usuario | usuário | utilizador | utilisateur | identifiants? | benutzername |
    benutzer | nutzername | anmeldung | zugang | zugangsdaten | inicio de sesión | acceso | accès |
    acesso | connexion | compte | 账号 | 账户 | 帐号 | 帳號 | 用户名 | 登录 | 登錄"""
)
ADMINS = any_of("root | admin | administrator | sudo")
WIFIS = any_of("wi-?fi | w-?lan | wireless | router | hotspot | ssid | 无线网? | 無線網?路?")

# A code, a combination: a secret only of something that it opens.
CODES = any_of(
    """codes? | combo | combination | keycode | zahlenkombination | kombination | códigos? | codigos? |
    combinación | combinacion | combinação | combinaison | codice | kod | kodu | kode | koden | şifre |
    şifresi | код | кода | 密码锁 | 代码 | 代碼"""
)
NUMBERS = any_of("numbers? | nummer | zahl | ziffern | número | numero | numéro | 号码 | 號碼 | 數字 | 数字")
COMPOUND_CODES = any_of(
    """haustürcode | torcode | alarmcode | tresorcode | safecode | schlosscode | zugangscode |
    zutrittscode | türcode | eingangscode | entsperrcode | sperrcode | zahlencode | digicode |
    digicodes | doorcode | gatecode | keycode | larmkod | larmkoden | portkod | portkoden | alarmkode |
    alarmkoden | dørkode | dørkoden | deurcode | 门禁码 | 门禁密码 | 开门码 | 门锁密码 | 暗証番号 |
    暗証コード"""
)
OPENED = any_of(
    """doors? | doorway | front door | gate | gates | alarm | alarms | alarm system | safe |
    key[ -]?safe | keybox | key box | lock[ -]?box | lock | locks | padlock | bike lock | locker |
    lockers | garage | entry | entrance | entryphone | intercom | buzzer | keypad | building | lobby |
    elevator | lift | shed | barn | gym | office | storage | storage unit | cabinet | cupboard |
    drawer | vault | suitcase | briefcase | phone | tablet | ipad | iphone | laptop | screen |
    voicemail | simcard | sim | unlock | access | backdoor | side door | back gate | yard | airbnb |
    cottage | pool | apartment | flat | house | parking | [a-zäöüß]{0,24}tür | [a-zäöüß]{0,24}tor |
    [a-zäöüß]{0,24}alarm | [a-zäöüß]{0,24}alarmanlage | [a-zäöüß]{0,24}tresor | [a-zäöüß]{0,24}schrank |
    [a-zäöüß]{0,24}schloss | schlüsseltresor | schlüsselkasten | schließfach | bankfach | spind |
    eingang | haus | keller | büro | handy | koffer | werkstatt | tastatur | puertas? | portón |
    porton | portal | alarma | caja fuerte | candado | taquilla | casillero | garaje | cochera |
    entrada | edificio | trastero | oficina | móvil | celular | teléfono | caja | reja | cerradura |
    portes? | portail | alarme | coffre | coffre-fort | cadenas | casier | immeuble | entrée |
    interphone | bâtiment | résidence | residence | hall | cave | bureau | téléphone | portable |
    serrure | boîte à clés? | boite à clés? | local | réserve | reserve | portas? | portão | portao |
    cofre | cadeado | cacifo | armário | prédio | predio | garagem | condomínio | fechadura |
    telemóvel | telemovel | escritório | multibanco | cartão | interfone | allarme | cancello | portone |
    cassaforte | lucchetto | alarmu | drzwi | bramy | furtki | sejfu | domofonu | alarmın | kapı | kapının |
    kasanın | larmet | dörren | porten | døren | kluis | voordeur | сигнализации | двери | ворот | калитки |
    домофона | сейфа | подъезда | 玄関 | ドア | 金庫 | 门 | 門 | 大门 | 门锁 |
    門鎖 | 门禁 | 門禁 | 保险柜 | 保險櫃 | 保险箱 | 车库 | 報警 | 报警 | 储物柜 | 手机 | 手機 | 行李箱 |
    楼下 | 单元"""
)
# Of these, a number said to be theirs is their code, without the word.
LOCKED = any_of(
    """alarm | alarms | gate | key[ -]?safe | keybox | key box | lock[ -]?box | padlock | bike lock |
    keypad | combination lock | deposit box | [a-zäöüß]{0,24}alarm | alarmanlage | tresor | bankfach |
    schließfach | zahlenschloss | schlüsseltresor | schlüsselkasten | alarma | candado | caja fuerte |
    alarme | cadenas | coffre | digicode | boîte à clés? | cadeado | cofre | portão | portail | portón |
    门锁 | 門鎖 | 门禁 | 門禁 | 保险柜 | 保险箱 | 密码锁"""
)
IDENTITIES = any_of(
    """passport (?:no|nr|num|number) | passport | id number | national id |
    national insurance(?: number)? | nino | ni number | tax (?:id|number|file number|number thing) |
    tfn | pps | ppsn | ssn | sin | social insurance(?: number)? | social security(?: number)? |
    driver'?s licen[cs]e (?:no|number) | ein | reisepass(?:nummer)? | personalausweis(?:nummer)? |
    ausweisnummer | steuer-?id | steuernummer | steueridentifikationsnummer |
    sozialversicherungsnummer | ahv-?nummer | dni | nie | curp | rfc | nss | cédula | pasaporte |
    número de la seguridad social | numéro de sécu(?:rité sociale)? | num(?:éro)? de sécu | nas | nir |
    passeport | carte d'identité | cpf | rg | nif | niss | nus | passaporte | cartão de cidadão |
    número de utente | 身份证号?码? | 身分證字?號?碼? | 护照号?码? | 護照號?碼? | 社保号"""
)
ACCOUNTS = any_of(
    """card number | card no | credit card | debit card | account number | account no | bank account |
    iban | routing number | sort code | kartennummer | kreditkarte | kontonummer | bankverbindung |
    número de (?:la )?tarjeta | tarjeta | número de cuenta | clabe | numéro de (?:la )?carte |
    numéro de compte | rib | número do cartão | número da conta | conta bancária | 卡号 | 卡號 |
    银行卡 | 账号 | 账户 | 帳號 | 帳戶"""
)

# What leads from what is opened to its code, without the word.
OPENING = any_of(
    """opens with | opens by | unlocks with | open with | unlock with | geht mit | öffnet mit |
    öffnet sich mit | se abre con | abre con | abre-se com | abre com | s'ouvre avec | ouvre avec |
    si apre con | apre con"""
)

# What makes a code or a pass one of those that anybody may know.
PUBLIC = re.compile(
    STARTS
    + any_of(
        """area | zip | post | postal | country | dialling | dialing | error | exit | status | http |
        response | promo | promotion | discount | coupon | voucher | referral | gift | dress | source |
        morse | bar | qr | flight | booking | tracking | product | item | order | reservation |
        confirmation | colou?r | hex | tax | room | telephone | mobile | cell | fax | part | model |
        serial | invoice | case | ticket | reference | ref | course | class | seat | bus | line |
        route | fault | trouble | icd | telefon | zimmer | bestell | kunden | rechnungs | fehler |
        rabatt | gutschein | vorwahl | teléfono | telefono | de error | descuento | promocional |
        téléphone | erreur | réduction | desconto | telefone | celular | contacto | contact | whatsapp |
        邮政 | 電話 | 电话 | 手机 | 优惠 | 订单"""
    )
    + r"[\s-]{0,2}\Z",
    re.IGNORECASE,
)
PASSES = re.compile(
    STARTS
    + any_of(
        """bus | boarding | train | rail | season | ski | lift | day | month | monthly | weekly |
        travel | interrail | eurail | hall | parking | mountain | press | guest | visitor | battle |
        game | free | first | second | de | en | se | me | le | te | to | will | i | you | we | he |
        she | it | can | could | a | of | on | did"""
    )
    + r"\s{1,2}\Z",
    re.IGNORECASE,
)

# The same without anything in between, for what is a word like any other: "the password for … is tulip".
PLAIN_LINK = re.compile(
    r"(?:\s(?:(?:i|we|you)\s(?:use|have|got|made)|here|below))?"
    r"(?:\s(?:for|de|del|para|für|pour|du|of|vom|zu|zum|do|da|no|na|on|to)\s[\w .'’-]{1,40}?)?"
    r"(?:\s{0,3}(?:=>?|:|：)\s{0,3}|\s{0,3}(?:是|为|為|叫|改成|改为|改為|设成|設成)\s{0,3}|['’]s\s{1,3}|\s{1,3}"
    + any_of(
        """is | was | are | es | era | lautet | ist | war | est | était | c'est | cest | é | to | nach |
        sera | será | will be | auf | como"""
    )
    + r"(?:\s{1,3}(?:now|ahora|jetzt|maintenant|agora|still|just|actually|noch|ainda))?\s{0,3}[:=]?\s{0,3})"
    r"[\"'`“„«「‘]?",
    re.IGNORECASE,
)

# How what it is follows: by a sign, or by a word, at the end of what stands between.
LINK = re.compile(
    r"(?:(?:=>?|[:：]|['’]s|(?<![A-Za-zÀ-ɏ])"
    + any_of(
        """is | was | are | s | be | becomes | remains | to | as | with | use | using | reads | says |
        goes | i (?:use|have|set) | that'?s | it'?s | its | mine'?s? | set to | changed to | takes |
        opens with | unlocks with | ist | lautet | war | heißt | heisst | isch | mit | auf | nach |
        wäre | hat | hab | den code | nummer | es | era | será | como | con | por | puse | he puesto |
        a | la puse | la he puesto | la tengo apuntada como | est | était | c'est | cest | c’est | c |
        ct | sera | avec | par | é | eh | com | ficou | virou | pus"""
    )
    + r")|是|為|为|叫|係|系|(?:设|設|改|换|換|定|填)(?:成|为|為|做)?了?|就是|等于|用的?)"
    r"(?:\s{1,2}"
    + any_of(
        """now | still | just | actually | currently | again | ahora | todavía | jetzt | noch |
        neuerdings | immer noch | seit neuestem | maintenant | toujours | encore | agora | ainda | the |
        code | der | die | das | o | a | el | la | le | l' | new one"""
    )
    + r"){0,2}[\s:=,\-–—>]{0,4}[\"'`“„«「‘(（【\[]?\Z",
    re.IGNORECASE,
)

# What follows "the password is" when it is not told: the rest of a sentence, a placeholder, a type.
NOT_TOLD = re.compile(
    any_of(
        """not | wrong | correct | incorrect | required | invalid | missing | empty | blank | expired |
        changed | reset | safe | secure | weak | strong | too | very | hard | easy | the | an? | in |
        on | at | to | for | with | my | your | his | her | our | their | this | that | same | stored |
        saved | hidden | hashed | encrypted | sent | needed | used | being | visible | known |
        different | long | short | ignored | protected | gone | lost | forgotten | unknown | optional |
        enough | working | set | none | null | deleted | undefined | true | false | string | str |
        varchar | text | hash | field | input | prompt | manager | removed | disregarded | discarded |
        dropped | noted | erased | masked | redacted | complex | simple | random | unique | shared |
        private | public | old | new | always | never | also | just | still | now | here | there |
        below | above | ready | ok | okay | fine | good | bad | great | important | essential | secret |
        what | which | how | why | where | something | anything | nothing | everything | all | only |
        and | or | but | so | if | when | because | it | he | she | they | we | i | you | me | no |
        yes | one | incorrecta | correcta | segura | débil | inválida | obligatoria | la | el | los |
        las | una? | un | muy | que | qué | cual | cuál | tu | mi | su | falsch | richtig | nicht |
        sicher | unsicher | abgelaufen | geheim | eine? | einen | kein | keine | weg | mir | dir | der |
        die | das | zu | noch | ja | oublié | sûr | faible | le | les | une | trop | pas | expiré |
        obligatoire | wie | was | wo | comment | quoi | quel | quelle | mon | ton | son | du | de |
        des | do | da | dos | uma? | o | os | as | não | nao | muito | fraca | forte | errada | certa |
        obrigatória | qual | minha | tua | sua | isso | isto | essa | esta | 什么 | 甚麼 | 多少 |
        错的? | 正确的? | 错误的? | 必填的? | \\*+ | x+ | \\.+ | …+ | <.* | \\{.* | \\$\\{?.* | \\[.* |
        your.* | example.* | changeme"""
    ),
    re.IGNORECASE,
)
CLAUSE_ENDS = re.compile(
    r"[\"'`”’»」]?(?:\s*(?:$|[.,;!?)\n，。；！？])|\s+(?:and|but|y|und|et|e|pero|aber|mais|mas|-|–|—|so|please|if|for|"
    r"anota|guarda|note|merk|just in case|in case)\s)"
)

# What one does with a code at a door.
ENTERING = any_of(
    """dial | type | enter | punch in | key in | press | use | tipp\\w{0,3} | gib | drück\\w{0,3} | marca |
    pulsa | teclea | tape[rz]? | compose[rz]? | fais | digit[ae] | marque | 按 | 输入"""
)

DIGITS = any_of(
    """zero | oh | one | two | three | four | five | six | seven | eight | nine | double | triple |
    null | eins | zwo | zwei | drei | vier | fünf | sechs | sieben | acht | neun | cero | uno | dos |
    tres | cuatro | cinco | seis | siete | ocho | nueve | zéro | un | deux | trois | quatre | cinq |
    sept | huit | neuf | um | dois | três | quatro | sete | oito | nove"""
)
SPELLED = (
    rf"{STARTS}{DIGITS}(?:[\s,-]{{1,3}}(?:(?:dash|hyphen|space|minus|strich|guión|tiret|traço)[\s,]{{1,2}})?"
    rf"{DIGITS}){{2,15}}{ENDS}"
)
