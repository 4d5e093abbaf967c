/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_MODULE_H
#define SHIM_MODULE_H
#define MODULE_LICENSE(x)
#define EXPORT_SYMBOL_GPL(x)
#define __init
#define __exit
#endif
