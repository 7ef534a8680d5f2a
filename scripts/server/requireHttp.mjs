/**
 * esbuild plugin. Makes imports of `node:http` require the module instead. Importing it reads all of its exports, two of
 * which load another copy of undici, a tenth of the time in which the server starts.
 */
export const requireHttp = {
  name: 'require http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'http', namespace: 'required' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('node:${path}')`,
    }))
  },
}
