"""Which words ask to have something forgotten, where they ask plainly. Pure.

The model of worth knows many ways to ask. These are the plain ones, which it must not miss.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bethink.models.worth import Unit
from bethink.text.terms import query_terms

LABEL = "forget"
_EVERY = 1_000
_BEFORE = (  # "And please": no other words, for "never forget" and "did you forget" ask nothing of the kind
    r"^(?:(?:and|also|so|oh|ah|hey|ok|okay|please|pls|actually|anyway|btw|no|sorry|und|ach|bitte|et|alors|stp|svp"
    r"|y|e|oye|bueno|perdón|então|aliás|por favor)[,:.]? ){0,3}"
)
_PLAIN = re.compile(
    r"(?:"
    + _BEFORE
    + r"(?:(?:can|could|would|will) you )?(?:please |just )*(?:forget|delete|erase|remove|wipe)(?: please)?,?"
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
    r"|^(?:那|请|麻烦|帮我|你|把){0,3}(?:忘掉|忘记|忘了|删掉|删除)我(?:刚才|刚刚|之前|上次|以前)?(?:跟你|和你|对你)?[说讲提]"
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
    r"|(?<!\w)(?:se me|me) (?:olvid\w*|esquec\w*)|我(?:总|老|老是|总是|怕|会|又)?(?:忘记|忘了|忘)",
    re.IGNORECASE,
)
CORE = 2  # words that say what is meant, next to the asking
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SMALL_HAN = re.compile(
    "[我你他她它给給跟和说說看了的着個个那这這是不把]"
)  # two signs with one of these name nothing
_PAUSE = re.compile(r"[,.;:!?，。；！？]")
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
    r"(?<!\w)(?:i|can|could|would|kannst|puedes|podés|podrías|peux|pode|podes|poderia|ever|never|you|that|this|it|what|said|say|told|tell|telling|about|thing|things|stuff|business|bit|part"
    r"|please|actually|also|ok|want|brought|up|kindly|mention(?:ed)?|das|dass|was|ich|dir|gesagt|erzählt|bitte|mit|von"
    r"|eso|esto|lo|que|te|dije|conté|solté|aquello|cosa|por|favor|ça|ce|que|je|t'ai|dit|raconté|chose|isso|aquilo"
    r"|falei|contei|disse|coisa|favor|memory|memoria|memória|mémoire|gedächtnis|speicher)(?!\w)|上次|那个|那個|这个|這個|说过|說過|事|吧|你|把它",
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
    """The units, those that plainly ask to forget marked as such whatever label the model gives them."""
    return [
        replace(unit, label=LABEL, harm=1.0)
        if _asks_plainly(text[unit.start : unit.end], unit.harm)
        else unit
        for unit in units
    ]


def _asks_plainly(words: str, doubt: float) -> bool:
    if _OF_MYSELF.search(words):
        return False
    if _PLAIN.search(words):
        return True
    return doubt >= DOUBTED and _LIKELY.search(words) is not None


def asks(text: str) -> bool:
    """Whether a text has the words of such a request at all."""
    return _CUE.search(_OF_MYSELF.sub(" ", text)) is not None


def named_in(request: str) -> set[str]:
    """The words of a request that say what is to be forgotten; none where it is what was just said."""
    words = words_of(_NAMELESS.sub(" ", _CUE.sub(" ", request))) - _OF_ASKING
    return {word for word in words if not _SMALL_HAN.search(word)}


def core_of(request: str) -> set[str]:
    """Of the words that say what is to be forgotten, those next to the asking: one of them must be meant."""
    asking = [place for cue in _CUE.finditer(request) for place in (cue.start(), cue.end())]
    names, near = named_in(request), list[tuple[bool, int, set[str]]]()
    for word in _WORDS.finditer(request):
        if terms := words_of(word[0]) & names:
            between = min((_between(request, word.span(), place) for place in asking), key=len, default="")
            near.append((_PAUSE.search(between) is not None, len(between), terms))
    near.sort(key=lambda one: one[:2])
    first = [one for one in near if one[0] is near[0][0]]  # where some stand before a pause, only they count
    return {term for _, _, terms in first[:CORE] for term in terms}


def _between(text: str, word: tuple[int, int], place: int) -> str:
    return text[word[1] : place] if word[1] <= place else text[place : word[0]]


def words_of(text: str) -> set[str]:
    """The words of a text that tell it from others."""
    return {
        word for word in query_terms(text, _EVERY) if len(word) > 2 or (len(word) > 1 and not word.isascii())
    }
