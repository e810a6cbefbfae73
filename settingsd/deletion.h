/*
 * deletion.h - the deletion of a project: settingsd closes it, has every daemon delete what it
 * keeps of it, page by page (common/service/project_purge.h), and deletes its own rows last.
 */
#ifndef ATRIUM_SETTINGSD_DELETION_H
#define ATRIUM_SETTINGSD_DELETION_H

#include "settingsd/settingsd.h"

/* Starts the task that continues all deletions. */
void deletion_start(struct settingsd *d);

#endif
