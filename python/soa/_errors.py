"""Errors of the library as exceptions."""


class Error(ValueError):
    """What the library refuses: the same line that the program prints, and its parts.

    Attributes: text, status (its number), kind (what the status means), file and line (0: none), column, body and state
    (-1: none).
    """

    def __init__(self, text, status=0, kind="", file="", line=0, column=0, body=-1, state=-1):
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(where + text)
        self.text, self.status, self.kind = text, status, kind
        self.file, self.line, self.column, self.body, self.state = file, line, column, body, state

    def __str__(self):
        return self.args[0]

    def __reduce__(self):
        return (type(self), (self.text, self.status, self.kind, self.file, self.line, self.column, self.body, self.state))


class FileError(Error, OSError):
    """A file cannot be read or written."""


class NotFoundError(FileError, FileNotFoundError):
    """There is no such file."""


def make_error(status, kind, text, file, line, column, body, state):
    cls = Error
    if kind == "a file cannot be read or written":
        cls = NotFoundError if "No such file" in text else FileError
    if kind == "out of memory":
        return MemoryError(text)
    return cls(text, status, kind, file, line, column, body, state)
