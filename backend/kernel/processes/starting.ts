import { channel } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'

/** Publishes once that this process has started. */
export const STARTED = channel('kinora:started')

/**
 * Makes V8 count buffers towards the limit of the whole heap. By default, every 32 MB of them start a full collection, so
 * one client that sends large bodies delays the requests of others by 20 ms more than once a second.
 */
export const collectBuffersWithHeap = () => setFlagsFromString('--external-memory-accounted-in-global-limit')
