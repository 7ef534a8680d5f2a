import Router from '@koa/router'
import { readCheckpoints } from '../../audit/heads/ledgerTree.ts'
import type { Context } from '../context.ts'
import { publishedCertificates } from '../marks/keptCredential.ts'

/** Checkpoints of a day. Each includes all events before it. */
const HEADS = 24

/**
 * Serves `/.well-known/kinora.json`: what a stranger needs to verify films and receipts of this installation. Other sites
 * may read it. See docs/receipts.md.
 */
export function wellKnown({ pool, config }: Pick<Context, 'pool' | 'config'>, publicUrl: () => string): Router {
  const router = new Router()
  router.get('/.well-known/kinora.json', async (ctx) => {
    ctx.set({
      'Cache-Control': 'public, max-age=60',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    })
    ctx.body = {
      installation: publicUrl(),
      certificates: await publishedCertificates(pool, config.marks.credential),
      heads: await readCheckpoints(pool, HEADS),
    }
  })
  return router
}
