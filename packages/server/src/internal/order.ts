/**
 * The order of features: that in which their values were made, so that lists do not depend on how long a layer takes.
 *
 * A counter of the module and not of a server, since a feature is made before it is known which servers it will be in.
 */
let count = 0

export const nextOrder = (): number => count++
