"""What people call the things that the slots stand for, in every language that the rules read. Pure.

"Forget what I said about my wife's job" names a job; what was said is "Lena is a florist".
"""

from __future__ import annotations

from functools import cache

from bethink.store.units import Spoken
from bethink.text.terms import query_terms

SURE = 0.5  # of the slot
_EVERY = 1000
_ROLE = (
    "job work profession occupation career beruf arbeit stelle métier travail boulot emploi profession"
    " trabajo empleo profesión trabalho emprego profissão 工作 职业 職業"
)
_HEALTH = (
    "illness disease diagnosis health sickness krankheit diagnose gesundheit maladie diagnostic santé"
    " enfermedad diagnóstico salud doença saúde 病 病情 诊断 健康"
)
_RELATIONSHIP = (
    "relationship marriage breakup divorce beziehung ehe trennung scheidung couple mariage rupture divorce"
    " relación matrimonio ruptura divorcio relação casamento separação 感情 婚姻 离婚 分手"
)
_CALLED = {
    "role": _ROLE,
    "employer": f"{_ROLE} company employer firma arbeitgeber entreprise employeur empresa empregador 公司",
    "condition": _HEALTH,
    "medicine": f"{_HEALTH} medication medicine pills medikament tabletten médicament pastillas medicación"
    " remédio medicação 药 藥",
    "allergy": "allergy allergie alergia 过敏 過敏",
    "home": "address home wohnung adresse zuhause logement domicile dirección casa endereço 地址 住址 家",
    "relationship": _RELATIONSHIP,
    "partner": _RELATIONSHIP,
    "age": "age alter âge edad idade 年龄",
    "birthday": "birthday geburtstag anniversaire cumpleaños aniversário 生日",
    "phone": "phone number telefon nummer téléphone numéro teléfono número telefone 电话 号码",
    "trip": "trip travel holiday vacation reise urlaub voyage vacances viaje vacaciones viagem férias 旅行",
    "alcohol": "drinking alcohol trinken alkohol alcool bebida alcohol álcool 喝酒 酒",
    "smoking": "smoking cigarettes rauchen zigaretten tabac cigarettes fumar tabaco cigarro 抽烟 烟",
    "school": "school studies university schule studium école études escuela estudios universidad escola"
    " estudos faculdade 学校 学业",
}


def called(one: Spoken) -> set[str]:
    """The words for what a unit is about, where that is sure; none of them need stand in it."""
    return _words(one.unit.slot) if one.unit.sure >= SURE else set()


@cache
def _words(slot: str) -> set[str]:
    return set(query_terms(_CALLED.get(slot, ""), _EVERY))
