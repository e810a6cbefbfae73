/*
 * deletion.h - deletes a project: settingsd closes it, calls each daemon to delete its data page by
 * page (common/service/project_purge.h), and deletes its own rows last.
 */
#ifndef ATRIUM_SETTINGSD_DELETION_H
#define ATRIUM_SETTINGSD_DELETION_H

#include "settingsd/settingsd.h"

/* Starts the task that continues all deletions. */
void deletion_start(struct settingsd *d);

#endif
