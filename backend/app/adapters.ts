import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { IdentityProvider } from '../accounts/identities/identityProvider.port.ts'
import { keyFor } from '../accounts/keys/seal.ts'
import type { Mailer } from '../accounts/mailer.port.ts'
import type { PushSender } from '../accounts/notices/pushSender.port.ts'
import { createGuard, type Guard } from '../kernel/http/outgoing/guardedRequest.ts'
import type { Marker } from '../kernel/media/marks/createMarker.ts'
import type { MediaStore } from '../kernel/media/mediaStore.port.ts'
import { instrumentPort } from '../kernel/observability/instrument.ts'
import { createMailbox, type Mailbox } from '../providers/mail/mailbox.ts'
import { createNoMailer } from '../providers/mail/noMailer.ts'
import { createPaypal } from '../providers/payments/paypal/paypal.ts'
import { createSandbox, type Sandbox } from '../providers/payments/sandbox/sandbox.ts'
import { createStripe } from '../providers/payments/stripe/stripe.ts'
import { createStripeLinks, type StripeLinks } from '../providers/payments/stripe/stripeLinks.ts'
import { createWebPush } from '../providers/push/webPush.ts'
import { createGithubProvider } from '../providers/signIn/githubProvider.ts'
import { createOpenIdProvider } from '../providers/signIn/openIdProvider.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../providers/storage/s3MediaStore.ts'
import { isSharedFolder } from '../providers/storage/sharedFolder.ts'
import { createJoiner } from '../providers/video/join/joinProvider.ts'
import type { PaymentProvider } from '../subscriptions/paymentProvider.port.ts'
import { createTills, type Tills } from '../subscriptions/tills.ts'
import { type Catalogue, openCatalogue, versionOf } from '../tasks/catalogue/catalogue.ts'
import { JOIN } from '../tasks/contract.ts'
import { openTemplates, type Templates } from '../tasks/templates/templates.ts'
import type { VideoProvider } from '../tasks/videoProvider.port.ts'
import { videoTask } from '../tasks/videoTask.decider.ts'
import { isVideoExpected } from '../tasks/videoTask.rules.ts'
import { ConfigError, ROLES } from './config/environment.ts'
import type { Config } from './config/readConfig.ts'
import type { Context, Overrides } from './context.ts'
import { openMarker } from './marks/openMarker.ts'
import { type EngineSettings, openEngineSettings } from './video/engineSettings.ts'
import { type Definitions, openDefinitions } from './video/openDefinitions.ts'
import { openConnected, openVideoProviders } from './video/videoProviders.ts'

/** Adapters of the external services, one per port. */
export interface Adapters {
  /** Configured video providers by name. The map follows the files of provider definitions. */
  readonly videos: ReadonlyMap<string, VideoProvider>
  readonly definitions: Definitions
  readonly catalogue: Catalogue
  readonly engines: EngineSettings
  readonly templates: Templates
  readonly media: MediaStore
  /** Marks generated files for machines. */
  readonly marker: Marker
  readonly mailer: Mailer
  /** Emails kept for `/dev/mailbox`; undefined with SMTP and in production. */
  readonly mailbox: Mailbox | undefined
  readonly push: PushSender
  /** Requests the documents of programs that ask users for access. */
  readonly documents: Pick<Guard, 'send' | 'check'>
  /** Checks and requests the addresses that users give. */
  readonly guard: Guard
  /** Where people may sign in with accounts that they have elsewhere, in the order of the buttons. */
  readonly identityProviders: readonly IdentityProvider[]
  readonly payments: Tills
  /** Local payment sandbox; undefined with other providers and without payments. */
  readonly sandbox: Sandbox | undefined
  close(): Promise<void>
}

/** Stands for the operator's address in push messages where there is none. */
const NO_CONTACT = 'https://kinora.example'

/** Folder of the models that are part of the product. */
export const SHIPPED_MODELS = fileURLToPath(new URL('../../content/models', import.meta.url))
const SHIPPED_TEMPLATES = fileURLToPath(new URL('../../content/templates', import.meta.url))

const VIDEO_CALLS = {
  create: { outcomes: ['accepted', 'refused', 'postponed'] },
  state: { outcomes: ['queued', 'rendering', 'finished', 'failed', 'unknown'] },
  cancel: { outcomes: ['cancelled', 'too_late', 'unsupported'] },
  fetch: {},
} as const
const PAYMENT_CALLS = {
  createAgreement: {},
  createOrder: {},
  collectOrder: {},
  getAgreement: {},
  listSales: {},
  getReversal: {},
  getDispute: {},
  closeOrder: {},
  refund: {},
  pauseAgreement: {},
  resumeAgreement: {},
  cancelAgreement: {},
} as const

/**
 * Opens the adapter of each configured service, or its embedded substitute.
 * @throws ConfigError media would not be shared
 */
export async function openAdapters(context: Context, overrides: Overrides): Promise<Adapters> {
  const { config, database, pool, calendar, clock } = context
  const { metrics } = context.observability
  const mailbox = config.mail || config.production ? undefined : createMailbox(database)
  const mailer: Mailer = config.mail
    ? (await import('../providers/mail/smtpMailer.ts')).createSmtpMailer(config.mail.url, config.mail.from)
    : (mailbox ?? createNoMailer())
  const sandboxSecret = keyFor('sandbox', config.secrets.encryption).toString('hex')
  const isSandbox = config.payments.tills.includes('sandbox')
  const sandbox = isSandbox ? createSandbox({ pool, calendar, clock, secret: sandboxSecret }) : undefined
  const instrumentTill = (till: PaymentProvider) => instrumentPort(metrics, 'payments', till, PAYMENT_CALLS)
  const payments = createTills(
    openTills(config.payments, context, createStripeLinks(pool), sandbox).map(instrumentTill),
  )
  const instrument = (video: VideoProvider) => instrumentPort(metrics, 'video', video, VIDEO_CALLS)
  const videos = new Map([...openVideoProviders(context, overrides)].map(([name, video]) => [name, instrument(video)]))
  const onProvider = (name: string, video: VideoProvider | undefined) =>
    void (video ? videos.set(name, instrument(video)) : videos.delete(name))
  let engines: EngineSettings | undefined
  const definitions = await openDefinitions({
    ...context,
    timing: overrides.definitions,
    catalogueModel: (file) => ({ ...file, version: versionOf(file) }),
    keyOf: (variable) => config.video.keyOf(variable) ?? engines?.current().get(variable)?.key,
    onProvider,
  })
  engines = await followEngines(context, overrides, onProvider, () => definitions.rekey())
  const media = await openMediaStore(context)
  videos.set(JOIN, instrument(openJoiner(context, media)))
  const marker = openMarker(context)
  const { supportEmail, publicUrl } = config.http
  const { privateHosts, production } = config
  const guard = createGuard({ privateHosts, allowsHttp: !production })
  const contact = () =>
    supportEmail ? `mailto:${supportEmail}` : publicUrl?.startsWith('https:') ? publicUrl : NO_CONTACT
  const catalogue = await openModels(context, videos, engines)
  const templates = await openOwnTemplates(context)
  return {
    videos,
    definitions,
    catalogue,
    engines,
    templates,
    media: instrumentPort(metrics, 'media', media, { put: {}, size: {}, localPath: {}, remove: {} }),
    marker,
    mailer: instrumentPort(metrics, 'mail', mailer, { send: { outcomes: ['sent', 'refused'] } }),
    mailbox,
    documents: overrides.documents ?? createGuard({ privateHosts }),
    push: createWebPush({
      key: keyFor('web push', config.secrets.encryption),
      contact,
      guard: { ...guard, ...overrides.push },
    }),
    guard,
    identityProviders: openIdentityProviders(config.signIn),
    payments,
    sandbox,
    async close() {
      await engines.close()
      await definitions.close()
      await catalogue.close()
      await templates.close()
      for (const video of videos.values()) await video.close()
      await mailer.close()
      await marker.close()
    },
  }
}

function openJoiner({ config, handle, temporaryDir }: Context, media: MediaStore): VideoProvider {
  const isExpected = async (taskId: string) => isVideoExpected((await handle.read(videoTask, taskId)).state)
  return createJoiner({ media, temporaryDir, ffmpegPath: config.video.ffmpegPath, isExpected })
}

const openModels = ({ config, log }: Context, videos: ReadonlyMap<string, VideoProvider>, engines: EngineSettings) =>
  openCatalogue({
    folders: [SHIPPED_MODELS, path.join(config.dataDir, 'models')],
    providers: offering(videos, () => config.video.demoYields && engines.current().size > 0),
    log,
  })

function openOwnTemplates({ config, log }: Context): Promise<Templates> {
  const own = path.join(config.dataDir, 'templates')
  return openTemplates({ shipped: SHIPPED_TEMPLATES, own, clips: createFolderMediaStore(own), log })
}

/** Opens the engines that are connected on the board, and follows their changes. */
function followEngines(
  context: Context,
  overrides: Overrides,
  onProvider: (name: string, video: VideoProvider | undefined) => void,
  onKeys: () => void,
): Promise<EngineSettings> {
  const connected = new Map<string, { readonly setting: string; readonly provider: VideoProvider }>()
  return openEngineSettings(context, (settings) => {
    for (const name of new Set([...connected.keys(), ...settings.keys()])) {
      const [setting, before] = [settings.get(name), connected.get(name)]
      if (before?.setting === JSON.stringify(setting)) continue
      void before?.provider.close()
      connected.delete(name)
      const provider = setting && openConnected(name, setting, context, overrides)
      const route = provider?.name ?? before?.provider.name
      if (provider) connected.set(name, { setting: JSON.stringify(setting), provider })
      if (route) onProvider(route, provider)
    }
    onKeys()
  })
}

/** The providers of the catalogue: without the demo while it yields to connected engines. */
const offering = (videos: ReadonlyMap<string, VideoProvider>, yields: () => boolean) => {
  const isOffered = (name: string) => name !== 'demo' || !yields()
  return {
    has: (name: string) => videos.has(name) && isOffered(name),
    get: (name: string) => videos.get(name),
    [Symbol.iterator]: () => [...videos].filter(([name]) => isOffered(name))[Symbol.iterator](),
  }
}

const openIdentityProviders = ({ openId, github }: Config['signIn']): IdentityProvider[] => [
  ...openId.map(createOpenIdProvider),
  ...(github ? [createGithubProvider(github)] : []),
]

/** Opens the payment providers of the configuration, the preferred one first. */
export function openTills(
  { tills, paypal, stripe }: Config['payments'],
  { calendar, clock }: Pick<Context, 'calendar' | 'clock'>,
  links: StripeLinks,
  sandbox: PaymentProvider | undefined,
): PaymentProvider[] {
  const opened = {
    stripe: stripe && createStripe({ ...stripe, links, calendar, clock }),
    paypal: paypal && createPaypal(paypal),
    sandbox,
  }
  return tills.flatMap((till) => opened[till] ?? [])
}

async function openMediaStore({ config, pool, temporaryDir }: Context): Promise<MediaStore> {
  if (config.storage) return createS3MediaStore(config.storage, path.join(temporaryDir, 'copies'))
  const folder = path.join(config.dataDir, 'media')
  const isSplit = config.roles.length < ROLES.length
  if (isSplit && !(await isSharedFolder(folder, pool)))
    throw new ConfigError(
      `Media in ${folder} would be out of reach of the other processes: set S3_… to a bucket, or DATA_DIR to one folder ` +
        'that all of them share',
    )
  return createFolderMediaStore(folder)
}
