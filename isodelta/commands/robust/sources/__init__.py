"""Jobs as people write them: SQL files, notebooks and dbt projects, read for ``robust``."""

from isodelta.commands.robust.sources.project import Files, Project, read_project
from isodelta.commands.robust.sources.tables import LoadedTable

__all__ = ["Files", "LoadedTable", "Project", "read_project"]
