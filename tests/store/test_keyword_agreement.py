"""On a small realistic corpus both databases answer a query with the same record."""

from __future__ import annotations

import re
from pathlib import Path

from bethink.settings import StoreSettings
from bethink.store import Driver, Tx, connect, entries, keyword_search, spaces
from bethink.store.filters import EntryFilter
from tests.store.samples import NOW, entry

SENTENCES = """
Ana is allergic to peanuts and carries an adrenaline pen
Ben plays the cello in the city orchestra every Thursday
The car needs new winter tyres before the end of November
We booked a cabin by the lake for the first week of July
The wifi password of the cabin is written on the fridge
Ana starts her new job at the hospital in September
Ben is learning Portuguese because his grandmother lived in Porto
The dentist moved the appointment to Monday at nine
Our cat Miso only eats the salmon food from the blue tin
Miso is afraid of thunder and hides under the bed
The landlord will repair the kitchen tap next week
Ana prefers green tea in the morning and never drinks coffee
Ben drinks two cups of strong coffee before rehearsal
The flight to Lisbon leaves at six in the morning
Grandmother's apple cake needs two hundred grams of butter
The spare key is with the neighbour on the third floor
Ben broke his left wrist skiing when he was twelve
The orchestra performs the Elgar concerto in March
Ana ran the city marathon in under four hours
The library books are due back on the twelfth of May
We agreed to save three hundred euros every month for the trip
The trip to Portugal includes four nights in Porto
Miso has a check at the vet on the ninth of June
The vet said that Miso should lose half a kilo
Ana's sister Clara lives in Toronto with two children
Clara visits us for a week in the summer
The heating makes a loud noise when it starts in the morning
Ben wants a new bow for his cello
The neighbour feeds the cat when we are on a trip
The insurance of the car ends in October
""".strip().splitlines()

# A query and the words of the one sentence that answers it best.
QUERIES = {
    "allergic peanuts": "Ana is allergic to peanuts",
    "cello orchestra thursday": "Ben plays the cello",
    "winter tyres": "The car needs new winter tyres",
    "wifi password": "The wifi password",
    "lake cabin july": "We booked a cabin",
    "ana job hospital": "Ana starts her new job",
    "portuguese grandmother": "Ben is learning Portuguese",
    "dentist appointment": "The dentist moved",
    "miso salmon": "Our cat Miso",
    "miso thunder": "Miso is afraid",
    "landlord kitchen tap": "The landlord will repair",
    "ana tea": "Ana prefers green tea",
    "ben coffee": "Ben drinks two cups",
    "flight lisbon": "The flight to Lisbon",
    "butter cake": "Grandmother's apple cake",
    "spare key neighbour": "The spare key",
    "ben wrist skiing": "Ben broke his left wrist",
    "elgar march": "The orchestra performs",
    "marathon hours": "Ana ran the city marathon",
    "library books may": "The library books",
    "save euros month": "We agreed to save",
    "nights porto": "The trip to Portugal",
    "vet june": "Miso has a check",
    "vet kilo": "The vet said",
    "sister clara toronto": "Ana's sister Clara",
    "clara summer week": "Clara visits us",
    "heating noise": "The heating makes",
    "cello bow": "Ben wants a new bow",
    "neighbour feeds cat": "The neighbour feeds",
    "car insurance": "The insurance of the car",
}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


async def answers(store: Driver) -> dict[str, list[str]]:
    """The three best sentences for each query."""
    space = await store.write(spaces.ensure, "home", NOW)
    put = [
        entry(sentence, " ".join(words(sentence)), context=" ".join(words(before)))
        for before, sentence in zip(["", *SENTENCES], SENTENCES, strict=False)
    ]
    await store.write(entries.put, space, put)

    def search_all(tx: Tx) -> dict[str, list[str]]:
        found = {}
        for query in QUERIES:
            hits = keyword_search.search(
                tx, space, words(query), EntryFilter(), NOW, 3, keyword_search.Counts()
            )
            rows = entries.by_ids(tx, space.id, [id_ for id_, _ in hits])
            found[query] = [rows[id_]["record_id"] for id_, _ in hits]
        return found

    return await store.read(search_all)


async def test_the_sentence_that_answers_a_query_comes_first(store: Driver) -> None:
    best = {query: found[0] for query, found in (await answers(store)).items()}
    assert {
        query: sentence for query, sentence in best.items() if not sentence.startswith(QUERIES[query])
    } == {}


async def test_both_databases_agree(emptied_postgres_url: str, tmp_path: Path) -> None:
    found = []
    for url in (str(tmp_path / "memory.db"), emptied_postgres_url):
        store = await connect(url, StoreSettings())
        found.append(await answers(store))
        await store.close()
    sqlite, postgres = found
    assert {query: best[0] for query, best in sqlite.items()} == {
        query: best[0] for query, best in postgres.items()
    }
    same_three = sum(set(sqlite[query]) == set(postgres[query]) for query in QUERIES)
    assert same_three >= 0.8 * len(QUERIES)
