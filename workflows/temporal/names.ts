/** The task queue of a pool. Workflows themselves run on that of `main`. */
export const queueOf = (pool: string): string => `kinora-${pool}`

/** The one signal of Temporal's that all of ours are sent by: its argument is the name. */
export const LOOK_AGAIN = 'lookAgain'

/** What all versions of the workers are versions of. */
export const DEPLOYMENT = 'kinora'
