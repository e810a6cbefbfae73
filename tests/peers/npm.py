"""npm.py - finds the packages that `make npm` installs."""
import os


def installed(workspace, path):
    """Returns a package's file, from that workspace or the shared packages."""
    places = (f"build/npm/{workspace}/node_modules/{path}", f"build/npm/node_modules/{path}")
    return os.path.abspath(next(filter(os.path.exists, places), places[0]))
