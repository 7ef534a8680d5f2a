import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULE = /<script type="module" src="([^"]+)"><\/script>/g

/**
 * Leaves the scripts of open pages to `src/features/shell/late.js`: on a slow network they would take their share of it before the page
 * is seen. Pages with islands are what their scripts make of them, and keep them as they are.
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
