"""The map over HTTP, by the clients and on the command line, where it becomes a picture."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest

import footnote
from footnote.domain import (
    DocumentClass,
    DocumentMap,
    DocumentStatus,
    MapArea,
    MapColour,
    MapPoint,
    Progress,
)
from footnote.filters import condition_from
from footnote.interfaces.cli.map_picture import svg_of
from footnote.interfaces.schemas import decoded, json_of
from tests.interfaces.conftest import Library
from tests.interfaces.serving import Ended, environment
from tests.interfaces.serving import footnote as command

SVG = "{http://www.w3.org/2000/svg}"


async def run(library: Library, *arguments: str) -> Ended:
    env = environment(library.settings)
    return await command(env, "--no-server", "documents", "map", *arguments)


async def test_routes_clients_and_commands_give_the_same_map(library: Library) -> None:
    answer = await library.http.get("/v1/map")
    assert answer.status_code == 200, answer.text
    served = answer.json()
    assert {"claims.eml", "policy.md"} & library.ids.keys()
    assert {each["document_id"] for each in served["points"]} <= set(library.ids.values())
    assert served["total"] == len(served["points"]) + served["unplaced"]
    async with footnote.AsyncClient(str(library.http.base_url)) as client:
        found = await client.document_map()
        narrowed = await client.document_map(
            collection="insurance",
            where=condition_from({"class": {"in": ["policy", "generic"]}}),
            wait_seconds=60,
        )
    assert [str(each.document_id) for each in found.points] == [
        each["document_id"] for each in served["points"]
    ]
    assert {each.collection for each in narrowed.points} == {"insurance"}
    ended = await run(library, "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out) == served


async def test_a_map_of_another_workspace_has_other_documents(library: Library) -> None:
    here = (await library.http.get("/v1/map")).json()
    annex = (await library.http.get("/v1/map", headers={"Footnote-Workspace": "annex"})).json()
    assert annex["points"]
    ids = [{each["document_id"] for each in found["points"]} for found in (here, annex)]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize(
    "asked", ["wait_seconds=61", "wait_seconds=x", "where=x", "status=lost", "limit=3"]
)
async def test_what_makes_no_sense_is_refused(library: Library, asked: str) -> None:
    assert (await library.http.get(f"/v1/map?{asked}")).status_code in {400, 422}


async def test_people_read_areas_and_get_a_picture(library: Library, tmp_path: Path) -> None:
    picture = tmp_path / "map.svg"
    ended = await run(library, "--output", str(picture), "--colour", "area")
    assert ended.code == 0, ended.err
    assert "area" in ended.out.split("\n")[0] or "documents" in ended.out
    assert "map.svg" in ended.err.replace("\n", "")
    root = ET.fromstring(picture.read_text("utf-8"))
    found = (await library.http.get("/v1/map")).json()
    titles = [each.text for each in root.iter(f"{SVG}title")]
    assert titles[0] == f"{len(found['points'])} documents"
    assert len(titles) == 1 + len(found["points"])


@pytest.mark.parametrize("name", ["map.png", "nowhere/map.svg"])
async def test_a_picture_that_cannot_be_written_is_refused(
    library: Library, tmp_path: Path, name: str
) -> None:
    ended = await run(library, "--output", str(tmp_path / name))
    assert ended.code == 2
    assert "svg" in ended.err
    assert not (tmp_path / name).exists()


async def test_an_empty_map_says_so(library: Library) -> None:
    ended = await run(library, "--query", "nothing has this name")
    assert (ended.code, ended.out.strip()) == (0, "No document is on the map.")


def a_point(number: int, **changes: object) -> MapPoint:
    values: dict[str, object] = {
        "document_id": UUID(int=number),
        "title": f"Document {number}",
        "collection": f"c{number}",
        "document_class": DocumentClass.REPORT,
        "status": DocumentStatus.INDEXED,
        "tags": (),
        "x": (number % 7) / 7,
        "y": (number % 5) / 5,
        "area": 0,
    }
    return MapPoint(**{**values, **changes})  # type: ignore[arg-type]  # a factory takes any field


def a_map(*points: MapPoint) -> DocumentMap:
    area = MapArea(area=0, label=("a & b",), x=0, y=0, documents=len(points))
    return DocumentMap(points=points, areas=(area,), total=len(points), unplaced=0, left_out=0)


@pytest.mark.parametrize("colour", MapColour)
def test_a_picture_is_xml_whatever_a_title_holds(colour: MapColour) -> None:
    hostile = "</title><script>alert(1)</script>\x00\x1b & \ud800"
    drawn = svg_of(a_map(a_point(1, title=hostile, collection='"<x>')), colour)
    root = ET.fromstring(drawn)
    assert not list(root.iter(f"{SVG}script"))
    assert "alert(1)" in "".join(each.text or "" for each in root.iter(f"{SVG}title"))


def test_the_commonest_kinds_have_marks_of_their_own_and_the_rest_one() -> None:
    points = [a_point(number) for number in range(12)] + [a_point(20, collection="c0")]
    root = ET.fromstring(svg_of(a_map(*points), MapColour.COLLECTION))
    legend = [each.text or "" for each in root.iter(f"{SVG}text")][1:]
    assert legend[0] == "c0 (2)"
    assert legend[-1] == "others (4)"
    marks = {(each.get("d"), each.get("fill")) for each in root.iter(f"{SVG}path")}
    assert len(marks) == 9


def test_a_map_under_way_survives_json() -> None:
    found = DocumentMap(
        points=(), areas=(), total=3, unplaced=1, left_out=0, progress=Progress(done=2, total=9)
    )

    assert decoded(DocumentMap, json.loads(json_of(found))) == found
