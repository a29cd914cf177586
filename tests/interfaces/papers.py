"""The documents that the tests of the interfaces search."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A document as it is handed in."""

    filename: str
    text: str
    collection: str
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, int] = field(default_factory=dict)
    access: tuple[str, ...] | None = None


CLAIM = (
    "A claim must be reported to the insurer in writing within 14 days of the loss, together "
    "with the survey report of the harbour master and photographs of the damaged mooring."
)
POLICY = Paper(
    filename="policy.md",
    text=f"""# Marine policy POL-88213-X

## Claims

{CLAIM}

## Deductibles

The deductible for storm damage to a moored buoy is 2,500 euros for each event.

## Premium

The premium is due in January and is paid by bank transfer.
""",
    collection="insurance",
    tags=("marine", "renewal"),
    metadata={"year": 2025},
)
EARLIER = Paper(
    filename="policy-2024.md",
    text=f"# Marine policy POL-88213-X\n\n## Claims\n\n{CLAIM}\n",
    collection="insurance",
    metadata={"year": 2024},
)
MINUTES = Paper(
    filename="minutes.md",
    text="# Minutes of the board\n\nThe launch of the next buoy moves from June to September.\n",
    collection="board",
)
PRICES = Paper(
    filename="prices.md",
    text="# Prices\n\n| part | price |\n|---|---|\n| buoy | 900 |\n| anchor chain | 140 |\n",
    collection="board",
)
PAPERS = (POLICY, EARLIER, MINUTES, PRICES)
SECRET = Paper(
    filename="secret.md",
    text="# Merger\n\nThe merger with Quillfen Buoyworks is announced in May.\n",
    collection="board",
    access=("alice",),
)
ANNEX = Paper(
    filename="annex.md",
    text="# Annex\n\nA claim abroad must be reported to the consul.\n",
    collection="abroad",
)
