/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_DELAY_H
#define SHIM_DELAY_H
void msleep(unsigned int milliseconds);
unsigned long msleep_interruptible(unsigned int milliseconds);
void usleep_range(unsigned long least, unsigned long most);
void udelay(unsigned long microseconds);
#endif
