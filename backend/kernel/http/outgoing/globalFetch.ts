import { Agent, setGlobalDispatcher } from 'undici'

/**
 * Lets `fetch` send its requests with the installed undici. The one in Node 24 ends the process when a server closes the
 * connection of an answer that is not yet read: https://github.com/nodejs/undici/issues/5360. Without HTTP/2, which `fetch`
 * does not use and the bundle leaves out.
 */
export const replaceFetchDispatcher = (): void => setGlobalDispatcher(new Agent({ allowH2: false }))
