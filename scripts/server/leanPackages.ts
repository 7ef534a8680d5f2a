import type { Plugin } from 'esbuild'

/**
 * Modules that load far more than the server uses, with what replaces them in the bundle.
 *
 * - Importing `node:http` reads all of its exports, two of which load a second undici. Requiring it does not.
 * - `undici` loads its own fetch, WebSocket and caches. The server takes only the dispatcher for the fetch of Node.js.
 * - Its client for HTTP/2 loads that of Node.js, which takes 13 ms.
 * - `deep-equal` loads forty polyfills for `ctx.assert.deepEqual`, which no route calls.
 */
const LEAN: Readonly<Record<string, string>> = {
  http: `module.exports = require('node:http')`,
  undici: `module.exports = {
    Agent: require('undici/lib/dispatcher/agent.js'),
    setGlobalDispatcher: require('undici/lib/global.js').setGlobalDispatcher,
  }`,
  './client-h2.js': `module.exports = () => { throw new Error('HTTP/2 is not in the bundle') }`,
  'deep-equal': `module.exports = () => { throw new Error('deep-equal is not in the bundle') }`,
}

/** esbuild plugin. Together they save a tenth of the time in which the server starts. */
export const leanPackages = (root: string): Plugin => ({
  name: 'lean packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:(?:node:)?http|undici|\.\/client-h2\.js|deep-equal)$/ }, ({ path, kind }) => {
      const name = path.replace('node:', '')
      // A `require` of Node's own module is left as it is.
      return name === 'http' && kind !== 'import-statement' ? undefined : { path: name, namespace: 'lean' }
    })
    onLoad({ filter: /.*/, namespace: 'lean' }, ({ path }) => ({ contents: LEAN[path], resolveDir: root }))
  },
})
