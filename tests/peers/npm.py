"""npm.py - where `make npm` puts packages of the npm registry."""
import os


def installed(workspace, path):
    """A file of a package: of that workspace alone, or of what all share."""
    places = (f"build/npm/{workspace}/node_modules/{path}", f"build/npm/node_modules/{path}")
    return os.path.abspath(next(filter(os.path.exists, places), places[0]))
