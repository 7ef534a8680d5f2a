/** Returns the task queue of a pool. Workflows run on the queue of `main`. */
export const queueOf = (pool: string): string => `kinora-${pool}`

/** The Temporal signal that carries all of our signals. Its argument is the name. Stored in histories. */
export const LOOK_AGAIN = 'lookAgain'

/** Name of the worker deployment. Temporal stores it. */
export const DEPLOYMENT = 'kinora'
