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
    r")",
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
    """The units, those that plainly ask to forget marked as such whatever the model says."""
    return [
        replace(unit, label=LABEL, harm=1.0) if _PLAIN.search(text[unit.start : unit.end]) else unit
        for unit in units
    ]


def named_in(request: str) -> set[str]:
    """The words of a request that say what is to be forgotten; none where it is what was just said."""
    return set(query_terms(request, _EVERY)) - _OF_ASKING
