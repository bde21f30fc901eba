"""The manners of every command and file: mistakes, command lines, whole files, progress."""
