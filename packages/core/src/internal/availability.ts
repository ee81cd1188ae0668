/**
 * Sets of revisions in which the methods of the protocol exist.
 */
import * as Revision from "../Revision.ts"

export const revisions = {
  all: new Set(Revision.all),
  legacy: new Set(Revision.all.filter((revision) => Revision.era(revision) === "legacy")),
  modern: new Set(Revision.all.filter((revision) => Revision.era(revision) === "modern")),
  legacyFrom: (first: Revision.Revision) =>
    new Set(Revision.all.filter((r) => Revision.era(r) === "legacy" && Revision.order(r, first) >= 0))
}
