/** Returns the task queue of a pool. Workflows run on the queue of `main`. */
export const queueOf = (pool: string): string => `kinora-${pool}`

/** Temporal signal that carries every engine signal, with its name as the argument. Histories store this value. */
export const ENGINE_SIGNAL = 'engineSignal'

/** Name of the worker deployment. Temporal stores it. */
export const DEPLOYMENT = 'kinora'
