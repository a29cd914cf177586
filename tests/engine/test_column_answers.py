"""Tables as programs export them are computed over by the words of their columns."""

from __future__ import annotations

from footnote.engine import Engine
from footnote.jobs.inline import work_until_resting
from tests.answering.drawn import assert_every_statement_can_be_opened

SALES = """region,quarter,revenue_eur
North,Q1,12000
North,Q2,15500
South,Q1,9000
South,Q2,9800
West,Q1,7000
West,Q2,20100
"""
WAREHOUSE = """item,category,price_eur,stock
Bolt 5,Steel,15,120
Nut 5,Steel,7,300
Washer 8,Brass,4,900
Hinge 2,Brass,39,45
Screw 3,Steel,6,1000
"""


async def test_exported_tables_are_asked_by_the_words_of_their_columns(
    shared_engine: Engine,
) -> None:
    workspace = await shared_engine.workspace((await shared_engine.create_workspace("tables")).name)
    for name, text in (("sales.csv", SALES), ("warehouse.csv", WAREHOUSE)):
        received = await workspace.receive(text.encode(), name, external_id=name)
        await work_until_resting(
            shared_engine, workspace, [received.document.document_id], lambda _: None
        )

    async def said(question: str) -> list[str]:
        answer = await workspace.ask(question)
        assert len(answer.citations) >= len(answer.sentences) or not answer.found
        return [each.text for each in answer.sentences]

    [bolt] = await said("What is the price of Bolt 5?")
    assert bolt.startswith("Bolt 5 — ")
    assert bolt.endswith("price_eur: 15")
    assert await said("What is the average price?") == ["Average of price_eur: 14.20 (5 rows)"]
    assert await said("What is the highest price_eur?") == [
        "Hinge 2 — price_eur: 39 (largest of 5 rows)"
    ]
    assert await said("What is the total revenue of North?") == [
        "Sum of revenue_eur: 27500 (2 rows, region: North)"
    ]


INVOICES = """Invoice,Customer,Date,Net,Paid
R-1,Alpha,2025-01-03,100,yes
R-2,Beta,2025-02-11,250.50,no
R-3,Alpha,2025-02-20,1000,yes
R-4,Gamma,2025-03-01,100.99,no
"""


async def test_one_row_is_not_said_for_the_sum_of_several(shared_engine: Engine) -> None:
    made = await shared_engine.create_workspace("invoices")
    workspace = await shared_engine.workspace(made.name)
    received = await workspace.receive(INVOICES.encode(), "invoices.csv")
    await work_until_resting(
        shared_engine, workspace, [received.document.document_id], lambda _: None
    )
    for question, rows in (
        ("What is the total net of paid invoices?", "1100 (2 rows, Paid: yes)"),
        ("What is the total net of unpaid invoices?", "351.49 (2 rows, Paid: no)"),
    ):
        answer = await workspace.ask(question)
        assert not answer.found or rows in answer.text, answer.text
    assert (await workspace.ask("What is the net of R-2?")).text.startswith("R-2 — Net: 250.50")
    total = (await workspace.ask("How much did Alpha pay in total?")).text
    assert "Sum of Net: 1100 (2 rows, Customer: Alpha)" in total


DEPARTMENTS = ("Sales", "Plant", "Lab", "Support")
STAFF = [
    (
        f"Worker {number}",
        DEPARTMENTS[number % 4],
        30_000 + 700 * (number * 37 % 211),
        number % 9 + 21,
    )
    for number in range(200)
]
"""Far more rows than a search gives passages for."""


async def test_a_table_that_was_cut_into_many_passages_is_computed_over_whole(
    shared_engine: Engine,
) -> None:
    made = await shared_engine.create_workspace("staff")
    workspace = await shared_engine.workspace(made.name)
    rows = "\n".join(f"| {' | '.join(map(str, each))} |" for each in STAFF)
    text = f"""# Staff

Salaries are paid on the 25th.

| name | department | salary | holidays |
|---|---|---|---|
{rows}

# Canteen

It opens at half past eleven.
"""
    received = await workspace.receive(text.encode(), "staff.md")
    document_id = received.document.document_id
    await work_until_resting(shared_engine, workspace, [document_id], lambda _: None)
    assert len(await workspace.passages(document_id, limit=100)) > 20

    async def asked(question: str) -> tuple[str, list[str]]:
        answer = await workspace.ask(question)
        assert_every_statement_can_be_opened(answer, answer.evidence)
        return answer.sentences[0].text, [each.quote for each in answer.citations]

    said, quotes = await asked("What is the total salary?")
    assert said == f"Sum of salary: {sum(each[2] for each in STAFF)} (200 rows)"
    # All of them, in one stretch.
    assert [each.count("\n") for each in quotes] == [199]
    said, quotes = await asked("What is the average salary in the Lab?")
    lab = [each[2] for each in STAFF if each[1] == "Lab"]
    assert said == f"Average of salary: {sum(lab) / len(lab):g} (50 rows, department: Lab)"
    said, quotes = await asked("What is the highest salary?")
    best = max(STAFF, key=lambda each: each[2])
    assert said == f"{best[0]} — salary: {best[2]} (largest of 200 rows)"
    assert [each.split(" | ")[0] for each in quotes] == [best[0]]
