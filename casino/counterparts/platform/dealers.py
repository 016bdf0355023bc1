"""The dealers, all made up; each table has a crew of its own, so that nobody deals at two tables at once."""

from typing import Final, NamedTuple

CREW: Final = 4


class DealerName(NamedTuple):
    reference: str
    name: str


_NAMES: Final = (
    "Nok Srisawat", "Ploy Thongchai", "สุดารัตน์ แก้วใส", "Mali Intharat",
    "Somchai Rattanakul", "Fah Wongsakul", "Grace Dela Cruz", "กมลวรรณ ศรีทอง",
    "Kwan Phromsiri", "Anong Chaiyaphum", "Ben Saetang", "Lek Bunyasak",
    "ปวีณา จันทร์เพ็ญ", "Maricel Santos", "Dao Phanthong", "Aroon Jaidee",
    "Nam Suwannarat", "ธนพล มั่นคง", "Chanthou Sok", "May Kittisak",
    "Jun Villanueva", "Pim Charoensuk", "วิภาดา ทองดี", "Sreymom Chea",
)  # fmt: skip

DEALERS: Final = tuple(DealerName(f"D-{place:03}", name) for place, name in enumerate(_NAMES, start=101))


def crew_of(table_code: str) -> tuple[DealerName, ...]:
    """Name the dealers of one table, in the order of their shifts."""
    number = int("".join(filter(str.isdigit, table_code)) or "0")
    crews = len(DEALERS) // CREW
    first = (number - 1) % crews * CREW
    return DEALERS[first : first + CREW]
