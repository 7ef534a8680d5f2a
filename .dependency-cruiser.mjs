// The import table of docs/architecture.md. `npm run check` keeps it; scripts/boundaries.spec.ts proves that every rule
// bites. A rule's name says what is true when it holds.

/** Given to the composition root and to tests, which put things together and may import all they need. */
/** What workflows do in the world, one subject a file. */
const ACTIVITIES =
  '^workflows/(activities|accountActivities|subscriptionActivities|taskCommands|renderVideo|fetchVideo|settleSubscription|readNotice|remind)\\.ts$'
const ROOT =
  '^backend/(main|compose|leased|ports|openEngine|roles|subscriptionDeps|adjust|audit|auditStore|auditThread|recover|rotateKey|app)\\.ts$'
const TEST = '(\\.spec\\.tsx?$|/testing/|^site/e2e/|^backend/eventsourcing/(specification|eventStoreContract)\\.ts$)'

/** The outside door of a context: shapes, paths and the tables of what can be had, the same on both sides. */
const CONTRACT = '^backend/([^/]+/contract|analytics/boardContract|tasks/models|subscriptions/plans)\\.ts$'
const EVENTS = '^backend/[^/]+/events\\.ts$'
/** A decider, and what it is made of. */
const DECIDER =
  '^backend/(credits/(creditAccount|lots)|tasks/(videoTask|renderLane)|' +
  'subscriptions/(subscription|agreements|commands|months))\\.ts$'
/** What every context stands on; it knows none of them. */
const KERNEL = '^backend/(eventsourcing|database|http|media)/'
/** What faces an outside world that the context does not own; implemented by adapters. */
const PORT = '^backend/(tasks/videoProvider|media/mediaStore|subscriptions/paymentProvider|accounts/mailer)\\.ts$'
const ADAPTER =
  '^(backend/(eventsourcing/(postgresEventStore|eventStoreDb)|database/embeddedPostgres|media/(folder|s3)MediaStore|' +
  'tasks/(minimax/minimax|demo/demoProvider)|subscriptions/(paypal/paypal|sandbox/sandbox)|accounts/(mailbox|smtpMailer))\\.ts$|' +
  'workflows/(embedded\\.ts$|temporal/))'

const BODY = '^workflows/(?!temporal/|testing/)[^/]+/[^/]+\\.ts$'
const READS = '^projections/.*\\bread[A-Z][A-Za-z]*\\.ts$'
const ROUTE_MAY = [
  '^backend/$1/',
  '^backend/http/',
  '^backend/database/',
  '^backend/eventsourcing/(handle|command|decider|eventHash|origin|uuid7)\\.ts$',
]
const OURS = '^(backend|projections|workflows|site|scripts|bench)/'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const asValue = { dependencyTypesNot: ['type-only'] }

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule(
      'a contract imports only zod and other contracts',
      'It runs in the browser as well as on the server, and is all that the outside may rely on.',
      { path: CONTRACT },
      { pathNot: [CONTRACT, '^node_modules/zod/'] },
    ),
    rule(
      'events import only kernel types and contract types',
      'Stored facts outlive the code around them: they are data, described by types.',
      { path: EVENTS },
      { pathNot: ['^backend/eventsourcing/', CONTRACT] },
    ),
    rule('events import types only', 'Nothing runs when a fact is named.', { path: EVENTS }, asValue),
    rule(
      'a decider imports only its own events and contract and the kernel',
      'It is a pure function: no clock, no randomness, no other context. GrowOnlySet is a data structure of the kernel; ' +
        'lots, agreements and commands are what the two deciders about money are made of.',
      { path: DECIDER.replace('(', '(?:').replace('^backend/', '^backend/(?=([^/]+)/)') },
      {
        pathNot: [
          '^backend/$1/(events|contract|models|plans|lots|agreements|commands)\\.ts$',
          '^backend/eventsourcing/(decider|growOnlySet)\\.ts$',
        ],
      },
    ),
    rule(
      'a decider imports contracts as types only',
      'What a command was checked against is not what it is decided by.',
      { path: DECIDER },
      { path: CONTRACT, ...asValue },
    ),
    rule(
      'routes import only their context, http, the way to commands and read functions',
      'They translate. Of the kernel they take handle, its rejections and its ids; the handle to the database is an argument, ' +
        'so its type may be named. What serves files may use media/: a download is watermarked on its way.',
      { path: '^backend/([^/]+)/[A-Za-z]*[rR]outes\\.ts$', pathNot: '/mediaRoutes\\.ts$' },
      { path: OURS, pathNot: [...ROUTE_MAY, READS] },
    ),
    rule(
      'routes for files import media beside what routes import',
      'See above.',
      { path: '^backend/([^/]+)/mediaRoutes\\.ts$' },
      { path: OURS, pathNot: [...ROUTE_MAY, READS, '^backend/media/'] },
    ),
    rule(
      'routes name the database and its changes as types only',
      'The handles come as arguments; nothing is opened by a route.',
      { path: '^backend/[^/]+/[A-Za-z]*[rR]outes\\.ts$' },
      { path: '^backend/database/', ...asValue },
    ),
    rule(
      'a context opens only its contract and events to others',
      'All else in it is private. Activities may use deciders, which they run through handle, and ports; the adapters of ' +
        'the composition root, as well as tests, may use what they put together.',
      { path: '^(backend/([^/]+)/|projections/|workflows/|site/)', pathNot: TEST },
      {
        path: '^backend/[^/]+/',
        pathNot: ['^backend/$2/', KERNEL, CONTRACT, EVENTS, DECIDER, PORT],
      },
    ),
    rule(
      'only projections, workflows and the audit read the events of another context',
      'Contexts ask each other by contract; what was stored is the business of what remembers, what waits and what proves.',
      { path: '^backend/([^/]+)/', pathNot: [TEST, '^backend/audit/'] },
      { path: EVENTS, pathNot: '^backend/$1/' },
    ),
    rule(
      'only activities run the deciders of a context from outside',
      'A command takes one way in: a route or an activity, through handle.',
      {
        path: OURS,
        pathNot: [TEST, ROOT, '^backend/(accounts|credits|subscriptions|tasks|analytics)/', ACTIVITIES],
      },
      { path: DECIDER },
    ),
    rule(
      'a context imports no decider of another context',
      'Two contexts meet in an activity or in the composition root.',
      { path: '^backend/([^/]+)/', pathNot: TEST },
      { path: DECIDER, pathNot: '^backend/$1/' },
    ),
    rule(
      'the kernel knows no context',
      'Everything stands on it, so that a cycle would begin here.',
      { path: KERNEL, pathNot: TEST },
      { path: OURS, pathNot: KERNEL },
    ),
    rule(
      'backend reads projections through their read functions only',
      'Rows and tables are the projections’ own affair.',
      { path: '^backend/', pathNot: [TEST, ROOT] },
      { path: '^projections/', pathNot: READS },
    ),
    rule(
      'backend starts no workflow itself',
      'Workflows start from the log.',
      { path: '^backend/', pathNot: [TEST, ROOT] },
      { path: '^workflows/' },
    ),
    rule(
      'projections import only events, contracts and the kernel’s port',
      'They fold what was stored: no deciders, no workflows, nothing that asks the world. eventHash derives ids of rows.',
      { path: '^projections/', pathNot: TEST },
      {
        path: OURS,
        pathNot: ['^projections/', EVENTS, CONTRACT, '^backend/eventsourcing/(decider|eventStore|eventHash)\\.ts$'],
      },
    ),
    rule(
      'projections import contracts as types only',
      'A rule that changes later must not change what is remembered.',
      { path: '^projections/', pathNot: TEST },
      { path: CONTRACT, ...asValue },
    ),
    rule(
      'projections use no package but MikroORM',
      'One way to write rows.',
      { path: '^projections/', pathNot: TEST },
      { path: '^node_modules/', pathNot: '^node_modules/@mikro-orm/' },
    ),
    rule(
      'a workflow body imports only the engine and other bodies',
      'It runs inside a sandbox that has neither Node nor the network; all else is named as a type.',
      { path: BODY, pathNot: TEST },
      { pathNot: ['^workflows/engine\\.ts$', BODY], ...asValue },
    ),
    rule(
      'a workflow body names only activities, contracts and events',
      'What it does, it does through activities.',
      { path: BODY, pathNot: TEST },
      { pathNot: ['^workflows/engine\\.ts$', ACTIVITIES, BODY, CONTRACT, EVENTS] },
    ),
    rule(
      'activities reach a context through its decider, events, contract and ports',
      'What else they need comes as an argument. media/ holds the tools that look at a finished file.',
      { path: ACTIVITIES, pathNot: TEST },
      { path: OURS, pathNot: ['^workflows/', '^backend/(eventsourcing|media)/', DECIDER, EVENTS, CONTRACT, PORT] },
    ),
    rule(
      'workflows read no projection',
      'A read model may lag; what a workflow decides on comes from the log.',
      { path: '^workflows/', pathNot: TEST },
      { path: '^projections/' },
    ),
    rule(
      'Temporal is loaded where it is asked for',
      'Its packages are large and partly native: without TEMPORAL_ADDRESS none of them is loaded.',
      { path: OURS, pathNot: [TEST, '^workflows/temporal/'] },
      { path: '^(workflows/temporal/|node_modules/@temporalio/)', dynamic: false, ...asValue },
    ),
    rule(
      'the site imports only contracts, content and itself',
      'It could live in a repository of its own.',
      { path: '^site/', pathNot: TEST },
      { path: OURS, pathNot: ['^site/', '^backend/([^/]+/contract|analytics/boardContract)\\.ts$'] },
    ),
    rule(
      'only the composition root chooses adapters',
      'Nothing else knows which one runs. An adapter’s own files belong to it; connect.ts is where the root leaves the choice ' +
        'of a database, and the test server of a context its pages.',
      { path: OURS, pathNot: [TEST, ROOT, '^backend/database/connect\\.ts$', '^workflows/temporal/', '^bench/'] },
      { path: ADAPTER, ...asValue },
    ),
    rule(
      'nothing imports the composition root',
      'It knows everything; nothing knows it.',
      { path: OURS, pathNot: [TEST, ROOT, '^bench/', '^backend/layoutFaults\\.ts$'] },
      { path: [ROOT, '^backend/config\\.ts$'] },
    ),
    rule(
      'the server imports neither scripts nor the site',
      'They are beside it, not in it.',
      { path: '^(backend|projections|workflows)/', pathNot: TEST },
      { path: '^(scripts|site|bench)/' },
    ),
    rule(
      'scripts import only Node and each other',
      'They run before anything is installed.',
      { path: '^scripts/[^/]+\\.mjs$' },
      { pathNot: '^scripts/', dependencyTypesNot: ['core'] },
    ),
    rule(
      'nothing but tests and benches imports tests',
      'What only tests need must not be needed in production. A bench seeds as a test does.',
      { path: OURS, pathNot: [TEST, '^bench/'] },
      { path: [TEST, '^node_modules/(vitest|playwright|@axe-core)/'] },
    ),
    rule(
      'production code uses no development package',
      'They are not there in production. Types are gone by then, so they may be named.',
      { path: '^(backend|projections|workflows)/', pathNot: TEST },
      { dependencyTypes: ['npm-dev'], ...asValue },
    ),
    rule(
      'every package is declared',
      'A package that is only there by chance is gone with the next install.',
      { path: OURS },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'every import is there',
      'A file that was moved or never added.',
      { path: OURS },
      { couldNotResolve: true, pathNot: '^astro:' },
    ),
    rule(
      'no cycles',
      'Two files that need each other are one file, or three. Types may point back: they are gone when the code runs.',
      { path: OURS },
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
  ],
  options: {
    exclude: { path: '(^|/)(dist|\\.astro|\\.data)/' },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
}
