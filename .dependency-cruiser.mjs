// Enforces the import table in docs/architecture.md. Folders and suffixes show each file's role, so that rules need not
// name files; see docs/decisions/0013-folders-show-roles.md. scripts/checks/boundaries.spec.ts tests a violation of
// each rule. A rule's name states what it guarantees.

const TEST = '(\\.spec\\.tsx?$|/testing/|^(proof|site/e2e)/)'
/** Composition root: chooses the adapters, so it may import everything. */
const ROOT = '^backend/(main\\.ts$|app/|programs/)'
const CONTEXT = '^backend/(?!kernel/|providers/|audit/|app/|programs/|testing/)[^/]+/'
const KERNEL = '^backend/kernel/'

/** Schemas, paths and capability tables that the server and the browser share. */
const CONTRACT = '^backend/[^.]*[/.]contract\\.ts$'
const EVENTS = '^backend/[^/]+/events\\.ts$'
/** The list of the events that have a hash chain. */
const LEDGER = '^backend/audit/ledgerEvents\\.ts$'
/** A decider, its commands, and its pure rules. */
const DECIDER = '^backend/[^/]+/[^/]*(\\.decider|\\.rules|commands)\\.ts$'
const PORT = '\\.port\\.ts$'
const PURE = '^backend/kernel/eventsourcing/pure/'
const KERNEL_DOORS =
  '^backend/kernel/(eventsourcing/[^/]+\\.port|observability/tracing|postgres/(notify|onlyRow|query|transaction))\\.ts$'
const ADAPTER =
  '^(backend/providers/|backend/kernel/eventsourcing/(postgres|eventStoreDb)/|backend/kernel/postgres/embedded|' +
  'workflows/engine/embedded|workflows/temporal/)'

const ROUTES = '[rR]outes\\.ts$'
const BODY = '^workflows/[^/]+/[^/]+\\.workflow\\.ts$'
const ENGINE_PORT = '^workflows/engine/[^/]+\\.port\\.ts$'
/** Activities and triggers: all other files in a context's folder. */
const ACTIVITIES = '^workflows/(?!engine/|temporal/|testing/)[^/]+/(?!.*\\.workflow\\.ts$)[^/]+\\.ts$'
const READS = '^projections/.*\\bread[A-Z][A-Za-z]*\\.ts$'
const OURS = '^(backend|projections|workflows|renderer|site|scripts|proof)/'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const asValue = { dependencyTypesNot: ['type-only'] }

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule(
      'a contract imports only zod and other contracts',
      'It runs in the browser as well as on the server.',
      { path: CONTRACT },
      { pathNot: [CONTRACT, '^node_modules/zod/'] },
    ),
    rule(
      'events import only kernel types and contract types',
      'Stored facts outlive the code around them: they are data, described by types.',
      { path: EVENTS },
      { pathNot: ['^backend/kernel/eventsourcing/', CONTRACT] },
    ),
    rule('events import types only', 'Declaring an event runs no code.', { path: EVENTS }, asValue),
    rule(
      'a decider imports only its own events and contract and the kernel',
      'It is a pure function: no clock, no randomness, no other context.',
      { path: DECIDER.replaceAll('(', '(?:').replace('[^/]+/', '([^/]+)/') },
      { pathNot: ['^backend/$1/[^/]*(events|commands|rules|contract)\\.ts$', PURE] },
    ),
    rule(
      'a decider imports contracts as types only',
      'Routes validate the input; the decider applies its own rules.',
      { path: DECIDER },
      { path: CONTRACT, ...asValue },
    ),
    rule(
      'routes import only their context, kernel services and read functions',
      'They translate between HTTP and commands. Stores and adapters arrive as arguments.',
      { path: `^backend/([^/]+)/.*${ROUTES}`, pathNot: '^backend/(kernel|providers)/' },
      {
        path: OURS,
        pathNot: [
          '^backend/$1/',
          '^backend/kernel/[^/]+$',
          '^backend/kernel/(http|media|outbox)/',
          PURE,
          '^backend/kernel/eventsourcing/(?!.*\\.port\\.ts$)[^/]+$',
          '^backend/kernel/postgres/',
          READS,
        ],
      },
    ),
    rule(
      'routes import the database as types only',
      'Handles arrive as arguments; a route opens nothing.',
      { path: `^backend/([^/]+)/.*${ROUTES}` },
      { path: '^backend/kernel/postgres/', ...asValue },
    ),
    rule(
      'a context opens only its contract and events to others',
      'The rest is private. Activities also use deciders, through `handle`, and ports.',
      { path: '^(backend/([^/]+)/|projections/|workflows/|site/)', pathNot: [TEST, ROOT] },
      { path: CONTEXT, pathNot: ['^backend/$2/', CONTRACT, EVENTS, DECIDER, PORT] },
    ),
    rule(
      'only projections, workflows and the audit read the events of another context',
      'Contexts ask each other by contract.',
      { path: '^backend/([^/]+)/', pathNot: [TEST, ROOT, '^backend/(audit|providers)/'] },
      { path: EVENTS, pathNot: '^backend/$1/' },
    ),
    rule(
      'only activities run the deciders of a context from outside',
      'A command enters through a route or an activity, and `handle` runs it.',
      { path: OURS, pathNot: [TEST, ROOT, CONTEXT, ACTIVITIES] },
      { path: DECIDER },
    ),
    rule(
      'a context imports no decider of another context',
      'Two contexts meet in an activity or in the composition root.',
      { path: '^backend/([^/]+)/', pathNot: [TEST, ROOT] },
      { path: DECIDER, pathNot: '^backend/$1/' },
    ),
    rule(
      'the kernel knows no context',
      'Everything depends on the kernel, so a dependency of its own would close a cycle.',
      { path: KERNEL, pathNot: TEST },
      { path: OURS, pathNot: KERNEL },
    ),
    rule(
      'providers import only ports, contracts and the kernel',
      'An adapter implements a port and knows nothing else of the context that owns it. Events are named as types.',
      { path: '^backend/providers/([^/]+)/', pathNot: TEST },
      { path: OURS, pathNot: ['^backend/providers/$1/', KERNEL, PORT, CONTRACT, EVENTS, '^renderer/'] },
    ),
    rule(
      'the renderer knows only the camera and the port of a video engine',
      'It draws frames. Jobs, files and encoders belong to the provider that uses it.',
      { path: '^renderer/', pathNot: TEST },
      {
        path: OURS,
        pathNot: [
          '^renderer/',
          '^backend/tasks/camera/[^/]*contract\\.ts$',
          '^backend/tasks/videoProvider\\.port\\.ts$',
        ],
      },
    ),
    rule(
      'only the demo provider and the showcase draw films',
      'Other code sees a video engine.',
      { path: OURS, pathNot: [TEST, '^(renderer|backend/programs/showcase|backend/providers/video/demo)/'] },
      { path: '^renderer/' },
    ),
    rule(
      'backups receive the product as arguments',
      'They copy and compare files and tables, whatever these contain.',
      { path: '^backend/backups/', pathNot: TEST },
      { path: OURS, pathNot: ['^backend/(backups|audit)/', KERNEL, '^projections/'] },
    ),
    rule(
      'the composition imports no program',
      'A program composes, too: it imports the composition.',
      { path: '^backend/app/', pathNot: TEST },
      { path: '^backend/programs/' },
    ),
    rule(
      'backend reads projections through their read functions only',
      'Rows and tables are private to the projections. A backup copies all tables but those of a rebuild.',
      { path: '^backend/', pathNot: [TEST, ROOT] },
      { path: '^projections/', pathNot: [READS, '^projections/engine/rebuild\\.ts$'] },
    ),
    rule(
      'backend starts no workflow itself',
      'Workflows start from the log.',
      { path: '^backend/', pathNot: [TEST, ROOT] },
      { path: '^workflows/' },
    ),
    rule(
      'projections import only events, contracts, the kernel’s port, traces and SQL doors',
      'They fold stored events: no deciders, no workflows, no I/O of their own.',
      { path: '^projections/', pathNot: TEST },
      {
        path: OURS,
        pathNot: ['^projections/', EVENTS, LEDGER, CONTRACT, PURE, KERNEL_DOORS],
      },
    ),
    rule(
      'projections import contracts as types only',
      'A rule that changes later must not change rows built from old events.',
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
      'It runs in a sandbox without Node or the network; everything else is imported as a type.',
      { path: BODY, pathNot: TEST },
      { pathNot: [ENGINE_PORT, BODY], ...asValue },
    ),
    rule(
      'a workflow body names only activities, contracts and events',
      'Side effects happen in activities.',
      { path: BODY, pathNot: TEST },
      { pathNot: [ENGINE_PORT, ACTIVITIES, BODY, CONTRACT, EVENTS] },
    ),
    rule(
      'activities reach a context through its decider, events, contract and ports',
      'Everything else arrives as an argument.',
      { path: ACTIVITIES, pathNot: TEST },
      {
        path: OURS,
        pathNot: [
          '^workflows/',
          '^backend/kernel/(eventsourcing/|media/|(inParallel|pool|time)\\.ts$)',
          DECIDER,
          EVENTS,
          CONTRACT,
          PORT,
        ],
      },
    ),
    rule(
      'workflows read no projection',
      'A read model may lag; a workflow decides from the log.',
      { path: '^workflows/', pathNot: TEST },
      { path: '^projections/' },
    ),
    rule(
      'Temporal is loaded on demand',
      'Its packages are large and partly native: without TEMPORAL_ADDRESS none of them is loaded.',
      { path: OURS, pathNot: [TEST, '^workflows/temporal/'] },
      { path: '^(workflows/temporal/|node_modules/@temporalio/)', dynamic: false, ...asValue },
    ),
    rule(
      'the site imports only contracts, content and itself',
      'It could live in a repository of its own.',
      { path: '^site/', pathNot: TEST },
      { path: OURS, pathNot: ['^site/', '^backend/[^.]*/contract\\.ts$'] },
    ),
    rule(
      'a feature imports no other feature',
      'What two features need lives in `ui`, `i18n` or `api`.',
      { path: '^site/src/features/([^/]+)/', pathNot: TEST },
      { path: '^site/src/features/', pathNot: '^site/src/features/$1/' },
    ),
    rule(
      'shared parts of the site import no feature',
      'Features depend on them.',
      { path: '^site/src/(ui|i18n|api)/', pathNot: TEST },
      { path: '^site/src/(features|pages|layouts)/' },
    ),
    rule(
      'only the composition root chooses adapters',
      'Other code sees ports. An adapter may import the rest of its own folder.',
      {
        path: OURS,
        pathNot: [TEST, ROOT, ADAPTER, '^backend/kernel/postgres/'],
      },
      { path: ADAPTER, ...asValue },
    ),
    rule(
      'nothing imports the composition root',
      'It knows everything; nothing knows it.',
      { path: OURS, pathNot: [TEST, ROOT] },
      { path: ROOT },
    ),
    rule(
      'the server imports neither scripts nor the site',
      'They run separately.',
      { path: '^(backend|projections|workflows|renderer)/', pathNot: TEST },
      { path: '^(scripts|site|proof)/' },
    ),
    rule(
      'scripts import only Node and each other',
      'They run before any package is installed.',
      { path: '^scripts/.*\\.mjs$' },
      { pathNot: '^scripts/', dependencyTypesNot: ['core'] },
    ),
    rule(
      'nothing but tests imports tests',
      'Production must not need test code.',
      { path: OURS, pathNot: TEST },
      { path: [TEST, '^node_modules/(vitest|playwright|axe-core|@axe-core)/'] },
    ),
    rule(
      'production code uses no development package',
      'They are not installed in production. Types are erased, so they may be imported.',
      { path: '^(backend|projections|workflows|renderer)/', pathNot: TEST },
      { dependencyTypes: ['npm-dev'], ...asValue },
    ),
    rule(
      'every package is declared',
      'A transitive package can disappear with the next install.',
      { path: OURS },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'every import resolves',
      'The file was moved or never added.',
      { path: OURS },
      {
        couldNotResolve: true,
        // The path of a file beside its package's code, which the build resolves.
        pathNot: ['^astro:', '\\.wasm\\?url$'],
      },
    ),
    rule(
      'no cycles',
      'Two files that need each other are one file, or three. Type imports may point back: they are erased.',
      { path: OURS },
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
  ],
  options: {
    exclude: { path: '(^|/)(dist|\\.astro|\\.data)/' },
    doNotFollow: { path: 'node_modules' },
    // Imports of types are marked as such (`verbatimModuleSyntax`), so that no file has to be compiled to tell them apart.
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
}
