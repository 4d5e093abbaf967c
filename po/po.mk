# SPDX-License-Identifier: GPL-2.0-only
# Messages: "make pot" gathers them anew into po/cxctl.pot and brings po/*.po up to it;
# catalogues are compiled to build/locale (CXCTL_LOCALEDIR=build/locale tries them).

PO_LANGUAGES := $(patsubst po/%.po,%,$(wildcard po/*.po))
PO_CATALOGUES := $(foreach l,$(PO_LANGUAGES),$(BUILD)/locale/$(l)/LC_MESSAGES/cxctl.mo)
PO_SOURCES := $(sort $(wildcard $(foreach d,base image container device host doctor cxctl,user/$(d)/*.[ch])))

catalogues: $(PO_CATALOGUES) ## the translations of the tool: build/locale

all: $(PO_CATALOGUES)

$(BUILD)/locale/%/LC_MESSAGES/cxctl.mo: po/%.po | set-up-build
	@mkdir -p $(@D)
	$(call say,MSGFMT,$@)
	$(Q)msgfmt --check --output-file=$@ $<

POT := po/cxctl.pot

# No dates and no line numbers: the file changes only when a message does.
messages:
	$(Q)xgettext --from-code=UTF-8 --language=C --keyword=_ --keyword=N_ --add-comments=TRANSLATORS \
		--no-location --sort-output --package-name=cxctl --output=$(POT) $(PO_SOURCES)
	$(Q)sed -i -e '/^"POT-Creation-Date:/d' -e '1,5c # SPDX-License-Identifier: GPL-2.0-only\n# Messages of cxctl.\n#' $(POT)

pot: messages ## gather the messages of the tool anew: po/cxctl.pot, po/*.po
	@for language in $(PO_LANGUAGES); do \
		msgmerge --quiet --update --backup=none --no-fuzzy-matching --sort-output po/$$language.po po/cxctl.pot; \
	done

.PHONY: catalogues messages pot
