// SPDX-License-Identifier: GPL-2.0-only
#include "doctor.h"

void check_system(struct doctor *doctor)
{
	(void)doctor;
}
