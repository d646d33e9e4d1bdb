"""The mutants that nothing can notice, by module, each with the reason."""

from __future__ import annotations

_CACHE = "what is kept from one question to the next changes the time that an answer takes, only"
_TIME = "it saves time, only"
_NO_ENTRY = "without changes, reads or edges there is nothing to go through"
_CHECKED_LATER = "the check of each row's other writers leaves out the same edges"
_WIDER = "rows that one transaction wrote are looked at as well, and no other writer is there"
_STABLE = "writers stand before readers already, and the sort keeps that"
_WEIGHT = "a weight only has to outweigh the penalties of a whole cycle, and still does"
_SEARCHED_IN_VAIN = "where there is no cycle, the search for one is in vain"
_SORTED_OUT = "such statements were sorted out before"
_EARLIER_CASE = "every other combination is an earlier case"
_EMPTY_LATER = "where nothing is removed, nothing is met later either"

EQUIVALENT: dict[str, dict[str, str]] = {
    "model/rules/delta_spark.py": {
        "level_in_force: table_level == WRITE_SERIALIZABLE and footprint.operation in REARRA...: "
        "without part 1": "the third level of a table is SnapshotIsolation, which it is then too",
        "feature_in_use: mine is None or theirs is None or (not mine.dropped): without part 3": (
            "where no feature is dropped, none is met later either"
        ),
        "metadata_changed: earlier.version < winner.version: <=": "a winner that moved a mark and "
        "changed no more was passed over before",
        "delete_delete: if not removed:: as if false": _EMPTY_LATER,
    },
    "model/physical/footprint.py": {},
    "checker/judging/dependencies.py": {
        "BIT: 1: 2": "every bit moves by one place, and no bit has a meaning of its own",
        "Dependencies.edges: if source != target:: as if true": "a transaction has no edge to "
        "itself: the mask is 0",
        "Dependencies._between: if not mask:: as if false": _NO_ENTRY,
        "Dependencies._between: source < target: <=": "they are never equal",
        "dependencies: if not seen.isdisjoint(rows):: as if true": "the intersection is empty then",
        "dependencies: seen & rows: |": _WIDER,
        "dependencies: _commits(nodes) if contended else {}: the first value": _TIME,
        "dependencies: contended and (not pair.rows.isdisjoint(contended)): without part 1": (
            "nothing is in common with no rows"
        ),
        "dependencies: contended and (not pair.rows.isdisjoint(contended)): without part 2": _WIDER,
        "_access: if access is None:: as if true": _CACHE,
        "_access: if len(_ACCESSES) >= _KEPT:: as if true": _CACHE,
        "_access: if len(_ACCESSES) >= _KEPT:: as if false": _CACHE,
        "_access: len(_ACCESSES) >= _KEPT: >": _CACHE,
        "_access: len(_ACCESSES) >= _KEPT: <": _CACHE,
        "_access: _ACCESSES.clear(): left out": _CACHE,
        "_pair: if pair is None:: as if true": _CACHE,
        "_pair: if len(_PAIRS) >= _KEPT:: as if true": _CACHE,
        "_pair: if len(_PAIRS) >= _KEPT:: as if false": _CACHE,
        "_pair: len(_PAIRS) >= _KEPT: >": _CACHE,
        "_pair: len(_PAIRS) >= _KEPT: <": _CACHE,
        "_pair: _PAIRS.clear(): left out": _CACHE,
        "_compute_pair: if second.changes:: as if true": _NO_ENTRY,
        "_compute_pair: if first.changes:: as if true": _NO_ENTRY,
        "_compute_pair: if entry.row is not None:: as if true": "None is no row that anybody wrote",
        "_compute_pair: if entry.row is not None:: as if true (2)": (
            "None is no row that anybody wrote"
        ),
        "_reads: if not _own_write_follows(reader, key, commit):: as if true": _CHECKED_LATER,
        "_own_write_follows: return own is not None and own < commit and (key in reader.changes): "
        "None": _CHECKED_LATER,
        "_own_write_follows: own < commit: <=": "the two commits are of different transactions",
        "_commits: if node.commit_version is not None:: as if true": "who wrote no version has no "
        "changes",
        "_direct_mask: not mask & bit and _direct(entry, commits): without part 1": _TIME,
    },
    "checker/judging/graph.py": {
        "decide: _decide_once if size <= _REMEMBERED_SIZE else _decide: the first value": _CACHE,
        "decide: _decide_once if size <= _REMEMBERED_SIZE else _decide: the second value": _CACHE,
        "decide: size <= _REMEMBERED_SIZE: <": _CACHE,
        "decide: size <= _REMEMBERED_SIZE: >": _CACHE,
        "_place_in_log: True: False": _STABLE,
        "_place_in_log: False: True": _STABLE,
        "_decide: _order(size, size, masks) is None and (cycle := _forbidden(rules, s...: "
        "without part 1": _SEARCHED_IN_VAIN,
        "_graph: 128: 129": _WEIGHT,
        "_graph: nodes + 1: -": _WEIGHT,
        "_graph: 1: 2": _WEIGHT,
        "_shortest: 128: 129": _WEIGHT,
        "_shortest: nodes + 1: -": _WEIGHT,
        "_shortest: 1: 2": _WEIGHT,
        "_shortest: mask & shape: |": "the components of a denser graph are larger, and the cycles "
        "in them are searched along the edges of the shape all the same",
        "_shortest: if len(part) < 2:: as if false": _SEARCHED_IN_VAIN,
        "_shortest: continue: left out": _SEARCHED_IN_VAIN,
    },
    "checker/judging/verdict.py": {
        "Verdict.to_json: reading.serial_order or (): without part 2": "a reading that holds has "
        "a serial order",
        "_judge: infidelities(history) if failed is not None else (): the first value": (
            "they are looked at only if a reading failed"
        ),
        "_judge: final_state is not None and final_state.verdict == 'violated': without part 1": (
            "a reading that failed is of a level that has both"
        ),
    },
    "checker/judging/definition.py": {
        "_place_in_log: False: True": _STABLE,
        "_place_in_log: True: False": _STABLE,
        "_Execution._extend: if state in self.dead_ends:: as if false": _TIME,
        "_Execution._extend: self.dead_ends.add(state): left out": _TIME,
        "_Execution._step: if transaction.rerun is None:: as if false": _SORTED_OUT,
        "_Execution._step: raise AssertionError('statements that cannot be run again were sort...: "
        "left out": _SORTED_OUT,
    },
    "checker/judging/explanation.py": {
        "_deed: before == after and before is not None: without part 2": _EARLIER_CASE,
        "_deed: before is not None and after is not None: without part 1": _EARLIER_CASE,
        "_deed: before is not None and after is not None: without part 2": _EARLIER_CASE,
        "_deed: raise AssertionError('unreachable: every combination is handled abo...: left out": (
            _EARLIER_CASE
        ),
        "_left: raise AssertionError('unreachable: every combination is handled abo...: left out": (
            _EARLIER_CASE
        ),
    },
}
