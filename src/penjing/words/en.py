"""The English sentences."""

WORDS: dict[str, str] = {
    # tree, in counts
    "leaves": "{n} leaves",
    "leaves_one": "{n} leaf",
    # data
    "no_rows": "{source} has a header but no rows. A tree needs at least one row of data.",
    # choices
    "unknown_column": "column '{word}' is not in the table. It has: {known}.",
    "unknown_column_near": (
        "column '{word}' is not in the table. It has: {known}.\nDid you mean '{near}'?"
    ),
    "unknown_plug": "{socket} '{word}' is not known. Known: {known}.",
    "unknown_plug_near": "{socket} '{word}' is not known. Known: {known}. Closest: {near}.",
    "unknown_setting": "'{word}' is not a setting of a recipe. Settings: {known}.",
    "unknown_setting_near": (
        "'{word}' is not a setting of a recipe. Settings: {known}.\nDid you mean '{near}'?"
    ),
    "bad_setting": "{name}={value!r} cannot be used: {expected}.",
}
