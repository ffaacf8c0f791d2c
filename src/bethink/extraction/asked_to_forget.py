"""Which words ask to have something forgotten, where they ask plainly. Pure.

The model of worth knows many ways to ask. These are the plain ones, which it must not miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from bethink.models.worth import Unit
from bethink.text.terms import query_terms

LABEL = "forget"
_EVERY = 1_000
_BEFORE = (  # "And please": no other words, for "never forget" and "did you forget" ask nothing of the kind
    r"^(?:(?:and|also|so|oh|ah|hey|ok|okay|please|pls|actually|anyway|btw|no|sorry|und|ach|bitte|et"
    r"|alors|stp|svp"
    r"|y|e|oye|bueno|perdón|então|aliás|por favor)[,:.]? ){0,3}"
)
_PLAIN = re.compile(
    r"(?:" + _BEFORE + r"(?:(?:can|could|would|will) you )?(?:please |just )*(?:forget|delete|erase|remove"
    r"|wipe)(?: please)?,?"
    r" (?:(?:everything|all|anything|what|whatever|the things?)(?: of)?(?: what| that)? (?:i|we)"
    r"(?:['’]ve| have)?(?: just| ever)? (?:said|told you|mentioned|wrote|shared)\b"
    r"|that (?:i|my|we|our|i['’]m|i['’]ve) |i (?:said|told you|mentioned|wrote)\b)"
    r"|"
    + _BEFORE
    + r"(?:vergiss|vergessen sie|lösche?|löschen sie|streiche?|streichen sie)(?: bitte| mal)*,?"
    r" (?:alles,? )?was (?:ich|wir)\b.*\b(?:gesagt|erzählt|geschrieben|erwähnt)"
    r"|" + _BEFORE + r"(?:oublie[sz]?|efface[sz]?|supprime[sz]?)(?: s['’]il (?:te|vous) plaît)?,?"
    r" (?:tout )?ce que (?:j['’]ai|je (?:t['’]ai|vous ai)) (?:dit|raconté|écrit)"
    r"|" + _BEFORE + r"(?:olvid[aáe]|olvídate de|borr[aáe]|elimin[aáe])(?: por favor)?,?"
    r" (?:todo )?lo que (?:yo )?(?:te |le )?(?:dije|conté|escribí|mencioné|he (?:dicho|contado))"
    r"|" + _BEFORE + r"(?:esque[cç][ae]|apag(?:a|ue)|delet[ea])(?: por favor)?,?"
    r" (?:tudo )?o que (?:eu )?(?:te |lhe |já )?(?:disse|contei|falei|mencionei|escrevi)"
    r"|^(?:那|请|麻烦|帮我|你|把){0,3}(?:忘掉|忘记|忘了|删掉|删除)我(?:刚才|刚刚|之前|上次"
    r"|以前)?(?:跟你|和你|对你)?[说讲提]"
    r"|"
    + _BEFORE
    + r"(?:take|get|cut|strike|wipe|clear|sac[aáe]|saque|quit[aáe]|borr[aáe]|tir[ae]|apag[ae]|sors|enlève"
    r"|retire"
    r"|nimm|streich\w*|lösch\w*)(?!\w)[^.!?\n]{0,60}"
    r" (?:(?:out of|from|off) (?:your |the )?memory|de (?:tu|la|ta|votre|su) (?:memoria|mémoire)"
    r"|da (?:tua |sua )?memória|aus (?:deinem|dem|ihrem) (?:gedächtnis|speicher))(?!\w)"
    r")",
    re.IGNORECASE,
)
# Begins like a request, and may still be none ("forget it, I will walk"): the model must doubt the words too.
_LIKELY = re.compile(
    _BEFORE + r"¿?(?:(?:can|could|would|will) (?:you|u) "
    r"|(?:(?:kannst|könntest|würdest) du|(?:können|könnten) sie) (?:[^\s.!?]{1,30} ){0,10}"
    r"|(?:peux|pourrais)[- ]tu |(?:pouvez|pourriez)[- ]vous "
    r"|(?:puedes|podés|podrías|puede|pode|podes|poderia) )?"
    r"(?:please |pls |just |bitte |mal |por favor )*"
    r"(?:forget(?! it\b)|scrub|scratch|wipe|strike|erase|delete|remove|drop|unsay|disregard"
    r"|vergiss|vergessen|lösch\w*|streich\w*|olv[ií]d\w*|borr\w*|elimin\w*|oubli\w*|efface\w*|supprim\w*"
    r"|esque[cç]\w*|apag\w*|delet\w*)(?!\w)(?! (?:not|nicht|pas|no|não)\b)"
    r"|^(?:那|请|請|麻烦|麻煩|帮我|幫我|你|把){0,3}(?:忘掉|忘记|忘記|忘了|删掉|刪掉|删除|刪除)"
    # It says first what is meant: "that business with Rafa, forget it".
    r"|(?<!\w)(?:what i|(?:that|the) (?:thing|business|stuff|bit|part|story)"
    r"|(?:das|die sache|die geschichte) mit|was ich|(?:aquello|eso|lo) (?:del?|que)"
    r"|ce que j|(?:l['’]|cette )histoire|le truc|o que (?:eu )?(?:te )?|aquilo)"
    r"(?!\w)[^.!?\n]{1,80}(?<!\w)(?:forget|delete|scrub|scratch|wipe|erase|vergiss|lösch\w*|streich\w*"
    r"|olv[ií]d[ae]\w*|b[oó]rr[ae]\w*|elim[ií]n[ae]\w*|oublie\w*|efface\w*|supprime\w*|esque[cç][ae]\w*"
    r"|apag[au]\w*)(?!\w)",
    re.IGNORECASE,
)
# "Remind me, I forget everything": it tells of the user, and asks nothing.
_OF_MYSELF = re.compile(
    r"(?<!\w)(?:i(?:['’]ll| will| always| keep| often| usually| tend to| might| do)*|ich|yo|eu|je|j['’])"
    r" ?(?:['’]?ll )?(?:forget\w*|vergess\w*|vergiss|olvid\w*|oubli\w*|esqueç\w*|esquec\w*)(?!\w)"
    r"|(?<!\w)(?:se me|me) (?:olvid\w*|esquec\w*)|(?<![给給帮幫替])我(?:总|老|老是|总是|怕|会"
    r"|又)?(?:忘记|忘了|忘)",
    re.IGNORECASE,
)
# It speaks of something told before: "that business with Gaz", "what I told you in July".
_TOLD = re.compile(
    r"(?<!\w)(?:(?:i|we)(?:['’]ve| have)? (?:told|tell|said|say|mentioned|wrote|shared|confessed"
    r"|admitted)(?!\w)"
    r"(?: (?:you|u|ya)(?!\w))?|(?:that|the) (?:[^\s.!?,]+ ){1,3}(?:thing|business|stuff|affair|story)(?!\w)"
    r"|was (?:ich|i) (?:dir|da|ihnen|euch)(?!\w)|(?:das|des|die (?:sache|geschichte)) mit(?!\w)"
    r"|(?:lo|eso|aquello) (?:que te|que le|de|del)(?!\w)|te (?:conté|dije|solté|confesé)(?!\w)"
    r"|ce que je (?:t['’]|vous |te )|l['’](?:affaire|histoire) (?:de|du|des|d['’])"
    r"|o que (?:eu )?(?:te|lhe) |aquilo (?:que|de|da|do)(?!\w))"
    r"|[跟和对對给給]你(?:[说說讲講倒吐提聊]|抱怨)|上(?:次|回)[说說讲講提聊]",
    re.IGNORECASE,
)
# It never happened: with what was told, that asks to forget it, in whatever picture the rest is told.
_UNSAID = re.compile(
    r"(?<!\w)(?:(?:you|u|ya|you['’]ve) never (?:saw|seen|read|heard) (?:it|that|this"
    r"|a word)(?=\s*(?:[.,;!]|$))"
    r"|(?:pretend|act like|as if) (?:i|you) (?:never|didn['’]?t)(?!\w)|(?:as"
    r"|like) (?:a )?(?:message )?unsent"
    r"|hast (?:du )?(?:nie|nicht) (?:gelesen|gehört|gesehen)|als hätte ich (?:es "
    r"|das )?nie (?:geschrieben|gesagt)"
    r"|(?:tu n['’]as|vous n['’]avez) rien (?:lu|vu|entendu)|vous ne vous en souvenez pas"
    r"|tu ne t['’]en souviens pas"
    r"|no (?:leíste|viste|oíste|escuchaste|has (?:leído|visto|oído)) nada"
    r"|como si no (?:te )?(?:lo )?hubiera"
    r"|não (?:leu|leste|viu|viste|ouviu|ouviste) nada|finge que (?:eu )?(?:não|nunca))(?!\w)"
    r"|(?:就)?当我[没沒]|就当我",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?<!\w)(?:about|über|sobre|sur|von|de) (?:the|that|my|our|his|her|their|das|den|dem|die|mein\w*"
    r"|unser\w*"
    r"|el|la|los|las|mi|mis|le|les|mon|ma|mes|o|a|meu|minha) |关于",
    re.IGNORECASE,
)
# Told in confidence: likelier meant than what was not.
_CONFIDED = re.compile(
    r"(?<!\w)(?:between (?:you and me|us|ourselves)|do(?:n['’]?t| not) (?:you )?(?:tell|judge)(?! me)"
    r"|keep (?:this|it) (?:to yourself|between us)|(?:nobody|no one) (?:else )?knows"
    r"|(?:haven['’]?t|have not|never) told (?:anyone|anybody|a soul|him|her|them|my)|(?:a|my) confession"
    r"|(?:wasn['’]?t|was not|not only|not) mine to tell|unter uns|im vertrauen|behalt[e']?s? (?:es "
    r"|das )?für dich"
    r"|(?:weiß|weiss) (?:sonst )?(?:keiner|niemand)|(?:niemand|keiner) (?:weiß|weiss)|sag(?:['’]?s| es"
    r"| das)? (?:keinem|niemandem)"
    r"|entre (?:nosotros|nos|nous|nós|tú y yo|vos y yo|toi et moi)(?!\w)|no (?:se )?l[eo]s? (?:digas"
    r"|cuentes)"
    r"|nadie (?:lo )?sabe|con el coraz[oó]n en la mano|te (?:confieso|tengo que contar)"
    r"|personne ne (?:le )?sait|ne (?:le )?(?:dis|dites|répète|répétez) (?:à|pas)|je (?:t['’]avoue"
    r"|voulais te dire)|en confidence"
    r"|ninguém sabe|não (?:conta|conte|fala|fale) (?:pra|para)|preciso te contar|te confesso)(?!\w)"
    r"|别告诉|別告訴|不敢(?:跟|和|告诉)|没人知道|沒人知道|瞒着|瞞著|[没沒](?:跟|和|告诉).{0,6}[说說讲講]过",
    re.IGNORECASE,
)
CORE, CORE_OF_TOLD = 2, 3  # words that say what is meant, next to the asking, or to the telling
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SMALL_HAN = re.compile(
    "[我你他她它给給跟和说說看了的着個个那这這是不把]"
)  # two signs with one of these name nothing
_PAUSE = re.compile(r"[,.;:!?，。；！？]")
SURELY, TOGETHER = 0.7, 1.1  # chance from which on a unit, or several in a row, ask in whatever words
BESIDE = 2  # units before the asking that may say what is meant
DOUBTED = 0.3  # chance that the words are not to be shown, from which on such a beginning is believed
# Words of such a request, and words around them that name nothing, in all languages.
_CUE = re.compile(
    r"(?<!\w)(?:forget|scrub|scratch|wipe|strike|erase|delete|remove|drop|unsay|disregard|ignore"
    r"|(?:don'?t|do not|dont|not|never|no) (?:keep|remember|save|store)|leave that"
    r"|vergiss|vergessen|lösch\w*|streich\w*|nicht (?:merken|speichern|behalten)|merk dir das nicht"
    r"|olv[ií]d\w*|borr\w*|elimin\w*|no (?:lo |la )?(?:guardes|recuerdes|anotes)"
    r"|oubli\w*|efface\w*|supprim\w*|ne (?:garde|retiens|note) pas"
    r"|esque[cç]\w*|apag\w*|delet\w*|não (?:guarde|lembre|anote)\w*)(?!\w)"
    r"|(?<!\w)(?:(?:out of|from|off) (?:your |the )?memory|de (?:tu|la|ta|votre|su) (?:memoria|mémoire)"
    r"|da (?:tua |sua )?memória|aus (?:deinem|dem|ihrem) (?:gedächtnis|speicher))(?!\w)"
    r"|忘|删|刪|别记|別記|不要记|不要記|别留|不想留|当我没说|當我沒說",
    re.IGNORECASE,
)
_NAMELESS = re.compile(
    r"(?<!\w)(?:i|can|could|would|kannst|puedes|podés|podrías|peux|pode|podes|poderia|ever|never|you"
    r"|that|this|it|what|said|say|told|tell|telling|about|thing|things|stuff|business|bit|part"
    r"|please|actually|also|ok|want|brought|up|kindly|mention(?:ed)?|das|dass|was|ich|dir|gesagt"
    r"|erzählt|bitte|mit|von"
    r"|eso|esto|lo|que|te|dije|conté|solté|aquello|cosa|por|favor|ça|ce|que|je|t'ai|dit|raconté|chose"
    r"|isso|aquilo"
    r"|falei|contei|disse|coisa|favor|memory|memoria|memória|mémoire|gedächtnis|speicher)(?!\w)|上次"
    r"|那个|那個|这个|這個|说过|說過|还有|還有|以后|以後|关于|關於|就当|就當|年前|事|吧|你|把它",
    re.IGNORECASE,
)
_OF_ASKING = frozenset(
    query_terms(
        "please forget forgot delete erase remove wipe drop disregard keep kept store save remember tell told"
        " say said mention mentioned write wrote share shared want know thing"
        " bitte vergiss vergessen lösche löschen streiche streichen behalte behalten merken gesagt erzählt"
        " oublie oubliez efface effacez supprime garde gardez dit raconté plaît"
        " favor olvida olvide borra borre elimina guardes guarde dije dicho conté contado"
        " esquece esqueça apaga apague guarda guarde disse contei falei"
        " 忘掉 忘记 忘了 删掉 删除 我说 我刚 刚才 才说 说的 之前 跟你 你说",
        _EVERY,
    )
)


def marked(text: str, units: Sequence[Unit]) -> list[Unit]:
    """The units, those that plainly ask to forget marked as such whatever label the model gives them; and
    with them those beside that say what is meant.
    """
    of_told = _TOLD.search(text) is not None
    plainly = [
        _as_asking(unit)
        if _asks_plainly(text[unit.start : unit.end], unit.harm)
        or (of_told and _UNSAID.search(text[unit.start : unit.end]))
        else unit
        for unit in units
    ]
    for first, last in _asking(text, plainly) if of_told else ():
        near = range(max(0, first - BESIDE), min(len(units), last + 1))
        told = [number for number in near if _TOLD.search(text[units[number].start : units[number].end])]
        for number in (
            range(min([first, *told]), max([last, *(number + 1 for number in told)])) if told else ()
        ):
            plainly[number] = _as_asking(plainly[number])
    return plainly


def _asking(text: str, units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Where units in a row surely ask to forget, by what the model says of them."""
    for is_asking, run in groupby(range(len(units)), lambda number: units[number].label == LABEL):
        numbers = list(run)
        harms = [units[number].harm for number in numbers]
        words = text[units[numbers[0]].start : units[numbers[-1]].end]
        surely = max(harms) >= SURELY or sum(harms) >= TOGETHER
        if is_asking and (surely or (max(harms) >= DOUBTED and asks(words))):
            yield numbers[0], numbers[-1] + 1


def _as_asking(unit: Unit) -> Unit:
    return replace(unit, label=LABEL, harm=1.0)


def _asks_plainly(words: str, doubt: float) -> bool:
    if _OF_MYSELF.search(words):
        return False
    if _PLAIN.search(words):
        return True
    return doubt >= DOUBTED and _LIKELY.search(words) is not None


def asks(text: str) -> bool:
    """Whether a text has the words of such a request at all."""
    return _CUE.search(_OF_MYSELF.sub(" ", text)) is not None


def speaks_of_told(text: str) -> bool:
    """Whether a text speaks of something told before."""
    return _TOLD.search(text) is not None


def named_in(request: str) -> set[str]:
    """The words of a request that say what is to be forgotten; none where it is what was just said."""
    words = words_of(_NAMELESS.sub(" ", _CUE.sub(" ", request))) - _OF_ASKING
    return {word for word in words if not _SMALL_HAN.search(word)}


def in_confidence(text: str) -> bool:
    """Whether something is told in confidence, by words like "between us"."""
    return _CONFIDED.search(text) is not None


def cores_of(request: str) -> Iterator[set[str]]:
    """The words of which one must be meant, the likeliest first: those after "about", those next to the
    asking, those next to what speaks of the telling.
    """
    names = named_in(request)
    words = [(word.span(), words_of(word[0]) & names) for word in _WORDS.finditer(request)]
    words = [(span, terms) for span, terms in words if terms]
    about = [found.end() for found in _ABOUT.finditer(request)]
    asking = [place for cue in _CUE.finditer(request) for place in cue.span()]
    telling = [place for told in _TOLD.finditer(request) for place in told.span()]
    for places, after, most in ((about, True, CORE), (asking, False, CORE), (telling, False, CORE_OF_TOLD)):
        near = []
        for span, terms in words:
            between = [_between(request, span, place) for place in places if not after or place <= span[0]]
            if between:
                shortest = min(between, key=len)
                near.append((_PAUSE.search(shortest) is not None, len(shortest), terms))
        near.sort(key=lambda one: one[:2])
        first = [
            one for one in near if one[0] is near[0][0]
        ]  # where some stand before a pause, only they count
        if first:
            yield {term for _, _, terms in first[:most] for term in terms}


def _between(text: str, word: tuple[int, int], place: int) -> str:
    return text[word[1] : place] if word[1] <= place else text[place : word[0]]


def words_of(text: str) -> set[str]:
    """The words of a text that tell it from others."""
    return {
        word for word in query_terms(text, _EVERY) if len(word) > 2 or (len(word) > 1 and not word.isascii())
    }
