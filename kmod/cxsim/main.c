// SPDX-License-Identifier: GPL-2.0-only
/* cxsim: simulated ConnectX cards below a software PCI host bridge. */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cxsim.h"

static char *cards;
module_param(cards, charp, 0444);
MODULE_PARM_DESC(cards, "cards to make when loaded: name=value pairs apart by commas, cards apart by ;");

struct workqueue_struct *cxsim_queue;
struct device *cxsim_root;

static int make_card(char *text)
{
	struct cxsim_wanted wanted;
	struct cxsim_slot *slot;
	char why[CXSIM_WHY] = "";
	int ret;

	ret = cxsim_parameters_parse(text, &wanted, why);
	if (!ret) {
		slot = cxsim_slot_create(&wanted, why);
		ret = PTR_ERR_OR_ZERO(slot);
	}
	if (ret)
		pr_err("cxsim: no card: %s\n", *why ? why : "out of memory");
	return ret;
}

/* A ; inside quotes belongs to the value. */
static char *next_card(char **text)
{
	char *card = *text, *end;
	bool quoted = false;

	if (!card)
		return NULL;
	for (end = card; *end && (quoted || *end != ';'); end++)
		if (*end == '"')
			quoted = !quoted;
	*text = *end ? end + 1 : NULL;
	*end = '\0';
	return card;
}

static int make_cards(void)
{
	char *text, *rest, *card;
	int ret = 0;

	if (!cards)
		return 0;
	text = kstrdup(cards, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	rest = text;
	for (card = next_card(&rest); card && !ret; card = next_card(&rest))
		if (*card)
			ret = make_card(card);
	kfree(text);
	return ret;
}

static int __init cxsim_init(void)
{
	int ret;

	cxsim_queue = alloc_workqueue("cxsim", WQ_UNBOUND, 0);
	if (!cxsim_queue)
		return -ENOMEM;
	cxsim_root = root_device_register("cxsim");
	if (IS_ERR(cxsim_root)) {
		ret = PTR_ERR(cxsim_root);
		goto queue;
	}
	ret = cxsim_bridge_init();
	if (ret)
		goto root;
	ret = make_cards();
	if (ret)
		goto cards;
	cxsim_control_init();
	return 0;

cards:
	cxsim_slot_remove_all();
	cxsim_bridge_exit();
root:
	root_device_unregister(cxsim_root);
queue:
	destroy_workqueue(cxsim_queue);
	return ret;
}

static void __exit cxsim_exit(void)
{
	cxsim_control_exit();
	cxsim_slot_remove_all();
	cxsim_bridge_exit();
	root_device_unregister(cxsim_root);
	destroy_workqueue(cxsim_queue);
}

module_init(cxsim_init);
module_exit(cxsim_exit);
MODULE_DESCRIPTION("Simulated ConnectX cards");
MODULE_LICENSE("GPL");
