import type * as z from 'zod/mini'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { query } from '../../kernel/postgres/query.ts'
import { type AccountsOptions, findAccount } from '../accounts.ts'
import type { Language, start } from '../contract.ts'
import { composeMail } from '../mails/composeMail.ts'
import { domainFault } from '../mails/mailAddress.ts'
import type { Outbox } from '../mails/outbox.ts'
import { type UserAccount, UserTable } from '../tables.ts'
import { claimAccount, findOrAddAccount, nameIn } from './findOrAddAccount.ts'
import { hashOf, newToken, removeExpiredStarts, START_LIFETIME_MS, type StartDrafts } from './startDrafts.ts'

type Request = z.output<NonNullable<typeof start.body>>

interface StartLinksOptions extends Required<AccountsOptions> {
  readonly outbox: Outbox
  readonly drafts: StartDrafts
  /** @throws Rejection registration_paused */
  readonly assertMayRegister: () => Promise<void>
  readonly publicUrl: () => string
}

/**
 * Rows of links that sign in. Of a verified account, only its own address does: another spelling, to which a link was
 * mailed before, may be a stranger's mailbox.
 */
const USABLE = `confirmed_at is null and exists (
  select from user_account u where u.id = user_id and (u.email_verified_at is null or u.email = start_link.email)
)`

interface Link {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly language: Language
  /** Hash of the secret of the browser that asked for the link. */
  readonly browser: string
  readonly sealed: string | null
}

async function mailLink(
  { database, calendar, outbox, drafts, publicUrl, assertMayRegister }: StartLinksOptions,
  { email: typed, language, draft }: Request,
  browser: string,
): Promise<void> {
  const at = Date.now()
  await removeExpiredStarts(database, at)
  // The answer, which was sent, is the same for every address.
  const isPaused = await assertMayRegister().then(
    () => false,
    () => true,
  )
  if (isPaused && !(await findAccount(database.em.fork(), typed))) return
  const account = await findOrAddAccount({ database, calendar }, typed, language)
  const email = account.emailVerifiedAt ? account.email : typed
  const [id, token] = [uuid7(), newToken()]
  const row = [id, hashOf(token), hashOf(browser), email, language, account.id, new Date(at + START_LIFETIME_MS)]
  // The fragment of an address is neither logged nor sent to other sites.
  const link = `${publicUrl()}${language === 'zh' ? '/zh' : ''}/auth/start#token=${token}`
  await database.em.fork().transactional(async (tx) => {
    await query(
      tx,
      'insert into start_link (id, hash, browser, email, language, user_id, expires_at) values ($1, $2, $3, $4, $5, $6, $7)',
      row,
    )
    if (draft) await drafts.attach(tx, id, draft)
    const mail = composeMail('start', { email, fullName: '', language }, link)
    await outbox.put(tx, account.id, mail, START_LIFETIME_MS)
  })
}

/**
 * Creates the service that signs people in with mailed links, and makes their accounts. See
 * docs/decisions/0035-prompt-first.md.
 */
export function createStartLinks(options: StartLinksOptions) {
  const { database, links, grants, background, production, calendar, drafts } = options
  const invalid = () => new Rejection('token_invalid', 'The link has expired or is invalid.')

  const find = async (token: string): Promise<Link> => {
    const sql = `select id, user_id as "userId", email, language, browser, sealed from start_link
      where hash = $1 and expires_at > $2 and ${USABLE}`
    const [link] = await query<Link>(database, sql, [hashOf(token), new Date()])
    if (!link) throw invalid()
    return link
  }

  return {
    /**
     * Mails a link in the background, so that the response time does not depend on the address.
     * @param browser secret of the browser
     * @throws ValidationError if the domain or the picture is not accepted
     */
    async begin(request: Request, browser: string): Promise<void> {
      const fault = domainFault(request.email, production)
      if (fault) throw new ValidationError([{ path: 'email', code: fault }])
      await drafts.assertImage(request.draft?.image)
      background.run(() => mailLink(options, request, browser))
    },

    /** @throws Rejection token_invalid */
    async preview(token: string, browser: string | undefined) {
      const link = await find(token)
      const sameBrowser = browser !== undefined && hashOf(browser) === link.browser
      return { email: link.email, same_browser: sameBrowser, ...(await drafts.preview(link.id, link.sealed)) }
    },

    /**
     * Spends a token. Returns its account, with a verified address. Grants the credits before, so that the link still
     * works after a crash in between. @throws Rejection token_invalid
     */
    async confirm(token: string): Promise<UserAccount> {
      const link = await find(token)
      const account = await database.em.fork().findOne(UserTable, { id: link.userId })
      if (!account) throw invalid()
      if (!account.emailVerifiedAt) await grants.grantOnce(account)
      await database.em.fork().transactional(async (tx) => {
        await query(tx, 'select 1 from user_account where id = $1 for update', [link.userId])
        const sql = `update start_link set confirmed_at = $1 where id = $2 and ${USABLE} returning id`
        if ((await query<object>(tx, sql, [new Date(), link.id])).length === 0) throw invalid()
        const { email, language } = link
        await claimAccount(tx, links, link.userId, { email, language, fullName: nameIn(email) }, calendar())
      })
      const confirmed = await database.em.fork().findOne(UserTable, { id: link.userId })
      if (!confirmed) throw invalid()
      return confirmed
    },
  }
}
