import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULE = /<script type="module" src="([^"]+)"><\/script>/g

/**
 * Defers the scripts of open pages: `src/features/shell/late.js` loads them after the first paint, because they would compete
 * with it on a slow network. Pages with islands cannot paint without their scripts, so they stay unchanged.
 */
export const lateScripts = () => ({
  name: 'late-scripts',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const dist = fileURLToPath(dir)
      for (const file of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.html'))) {
        const html = readFileSync(path.join(dist, file), 'utf8')
        if (html.includes('<astro-island')) continue
        writeFileSync(path.join(dist, file), html.replace(MODULE, '<script type="text/late" data-late="$1"></script>'))
      }
    },
  },
})
