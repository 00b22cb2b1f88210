"""Errors of the library as exceptions."""
import errno
import os


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

    def of_text(self, source):
        """The same, of a text that is no file: with its place and, under the line, a caret."""
        lines = source.splitlines()
        if not self.file and 0 < self.line <= len(lines):
            place = f"line {self.line}, " if len(lines) > 1 else ""
            caret = f"\n  {lines[self.line - 1]}\n  {' ' * (self.column - 1)}^" if self.column else ""
            self.args = (f"{place}column {self.column}: {self.text}{caret}",)
        return self

    def __str__(self):
        return self.args[0]

    def __reduce__(self):
        parts = (self.text, self.status, self.kind, self.file, self.line, self.column, self.body, self.state)
        return (_again, (type(self), self.args, parts))


class FileError(Error, OSError):
    """A file cannot be read or written."""


class NotFoundError(FileError, FileNotFoundError):
    """There is no such file. errno and filename are set, as for every FileNotFoundError."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.errno, self.filename, self.strerror = errno.ENOENT, self.file, os.strerror(errno.ENOENT)


def _again(cls, args, parts):
    error = cls(*parts)
    error.args = args
    return error


def make_error(status, kind, text, file, line, column, body, state):
    cls = Error
    if kind == "a file cannot be read or written":
        cls = NotFoundError if "No such file" in text else FileError
    if kind == "out of memory":
        return MemoryError(text)
    return cls(text, status, kind, file, line, column, body, state)
