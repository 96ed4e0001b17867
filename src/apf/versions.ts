/**
 * What differs between Kubernetes versions, in one table. The code asks `rules.zeroShares`, never the minor.
 *
 * A row says what changed against the row before it, as a change log does; patch releases in which a row does not hold
 * (a fix or a regression landed in them) are its exceptions.
 */

export type ApiVersion = 'v1alpha1' | 'v1beta1' | 'v1beta2' | 'v1beta3' | 'v1'

/**
 * Life of the versions of the group flowcontrol.apiserver.k8s.io, in minors of Kubernetes. `replacedBy` is what the
 * deprecation warning names.
 * Source: kubernetes/api flowcontrol zz_generated.prerelease-lifecycle.go.
 */
export const API_VERSIONS: Readonly<Record<ApiVersion, ApiVersionLife>> = {
  v1alpha1: {
    introduced: 18,
    deprecated: 20,
    removed: 21,
    replacedBy: null,
    sharesField: 'assuredConcurrencyShares',
    lendingFields: false,
    exemptBlock: false,
    zeroShares: 'defaulted',
  },
  v1beta1: {
    introduced: 20,
    deprecated: 23,
    removed: 26,
    replacedBy: 'v1beta2',
    sharesField: 'assuredConcurrencyShares',
    lendingFields: false,
    exemptBlock: false,
    zeroShares: 'defaulted',
  },
  v1beta2: {
    introduced: 23,
    deprecated: 26,
    removed: 29,
    replacedBy: 'v1beta3',
    sharesField: 'assuredConcurrencyShares',
    lendingFields: true,
    exemptBlock: true,
    zeroShares: 'defaulted',
  },
  v1beta3: {
    introduced: 26,
    deprecated: 29,
    removed: 32,
    replacedBy: 'v1',
    sharesField: 'nominalConcurrencyShares',
    lendingFields: true,
    exemptBlock: true,
    zeroShares: 'kept-by-annotation',
  },
  v1: {
    introduced: 29,
    deprecated: null,
    removed: null,
    replacedBy: null,
    sharesField: 'nominalConcurrencyShares',
    lendingFields: true,
    exemptBlock: true,
    zeroShares: 'kept',
  },
}

export interface ApiVersionLife {
  introduced: number
  deprecated: number | null
  /** First minor that does not serve it. */
  removed: number | null
  replacedBy: ApiVersion | null
  /** Name of the shares in `spec.limited` of a PriorityLevelConfiguration of this version. */
  sharesField: SharesField
  /** It has lendablePercent and borrowingLimitPercent from the minor on that knows them. */
  lendingFields: boolean
  /** It has `spec.exempt` from the minor on that knows it. */
  exemptBlock: boolean
  /** What becomes of explicit zero shares; the annotation counts from the minor on that knows it. */
  zeroShares: 'defaulted' | 'kept-by-annotation' | 'kept'
}

export type SharesField = 'assuredConcurrencyShares' | 'nominalConcurrencyShares'

/** Sets of default objects that are the same over several releases; see defaults/bootstrap.ts. */
export type BootstrapGroup = 'A' | 'A+probes' | 'B' | 'C' | 'D' | 'E' | 'F'

/** How one release of Kubernetes behaves: a row of the table with the exceptions of a patch applied. */
export interface VersionRules {
  minor: number
  patch: number

  /** API versions served without special flags, newest first. */
  servedVersions: readonly ApiVersion[]
  /** Those of them that answer with a deprecation warning. */
  deprecatedVersions: readonly ApiVersion[]
  /** Unknown fields are reported to (or refused for) a client that asks for it; before, they vanish without a word. */
  serverFieldValidation: boolean

  bootstrapGroup: BootstrapGroup
  /**
   * Default objects are kept up to date as the annotation apf.kubernetes.io/autoupdate-spec says. Before, suggested ones
   * are created once, together with the `exempt` level, and never touched again.
   */
  autoupdateAnnotation: boolean

  /** `limited.lendablePercent` and `limited.borrowingLimitPercent` exist. */
  lendingFields: boolean
  /** From 1.28 the exempt level takes part in seat sharing and carries `spec.exempt`. */
  exemptLevelHasShares: boolean
  /** A Limited level may have 0 shares. */
  zeroSharesValid: boolean
  /** The annotation that keeps zero shares in v1beta3 is known: obeyed there, forbidden in v1. */
  preserveZeroAnnotation: boolean

  /** Category of the error for a missing `spec.type` or `limitResponse.type`. */
  missingTypeError: 'NotSupported' | 'Required'
  /** The union rules of PriorityLevelConfiguration are generated: more errors, at the end, for the same objects. */
  generatedUnionRules: boolean
  /** What is said of a condition without a type. */
  emptyConditionReason: 'must not be empty' | ''
  /** How validation messages quote lists and structs. */
  quoting: 'go' | 'json'
  /** Wording of the rule that ties type Exempt to the name exempt. */
  exemptTypeMessage: string
  /** A name that is no DNS label only because of its dots is told so. */
  dotsNamedInLabelErrors: boolean
  /** What the lengths of label and annotation keys and values are said to be counted in. */
  metadataLengthUnit: 'characters' | 'bytes'
  /** What an error calls the key of a label, of an annotation, and a finalizer. */
  labelKeyName: 'a qualified name' | 'a valid label key'

  /** APF does not see watches at all; later they hold a seat until they are initialised. */
  watchBypassesFairness: boolean
  /** The response headers with the two UIDs are set on a 429 of APF. */
  headersOnRejections: boolean
  headersOnExempt: boolean
  /** They may be set on the 504 of the time-out filter. */
  headersOnTimeout: boolean
  /** Status for impersonation headers without a user. */
  impersonationFailureStatus: 400 | 500
  /** Modes tried before the classic impersonation; which one serves depends on permissions and history. */
  constrainedImpersonation: boolean

  /** What makes one queue of a hand shorter than another; executing requests never count. */
  queueChoice: QueueChoice

  /**
   * The demand of the exempt level is served first and what is shared among the others does not shrink with it, unless it
   * eats into what is guaranteed to them. Before, exempt is one more level that borrows.
   */
  exemptBorrowsApart: boolean
  /** A server with a negative in-flight limit does not start. Not known of 1.30. */
  negativeLimitsRefused: boolean
  /** The feature gate APIPriorityAndFairness: free to be switched off, locked on, or unknown to the server. */
  fairnessGate: 'open' | 'locked' | 'gone'
  /** Nor does one whose limits add up to no seat; since 1.21, 1.22 or 1.23. */
  zeroSeatsRefused: boolean
  /** Retry-After of a rejection follows the number of rejections; before, it is one second. */
  retryAfterAdapts: boolean
  /** Most seats of one LIST or WATCH in any level. */
  maxListSeats: 10 | 100
  /** A request may take at most a part of the seats of its level. */
  seatCapPerLevel: boolean
  /** What the seats of a list grow with. */
  listCost: 'nothing' | 'objects' | 'bytes'
  /** Which lists are taken for reads of storage and not of the watch cache. */
  listsFromStorage: ListsFromStorage
  /** Default: lists of the newest state are served by the watch cache. */
  consistentListFromCache: boolean
  /** Default of the gate WatchList. */
  watchList: boolean
  /** Which watches cost as much as a list from cache while WatchList is on. */
  watchesCostedAsLists: 'none' | 'initial-events' | 'initial-events-and-legacy'
  /** Writes cost seats for telling their watchers. */
  writesCostWatchers: boolean
  /** Requests for tokens of a service account are writes that nobody watches. */
  tokenRequestsCostOne: boolean
  /** The numbers of stored objects reach the work estimator; without them every list costs one seat. */
  objectCountsReachEstimator: boolean
  /** Seats of a list of a resource without an object count. */
  uncountedListCost: 'one' | 'maximum'
  /** A list with a metadata.name selector costs one seat, whatever else is known. */
  namedListCostsOne: boolean
  /** Each request has its own deadline in the queue; before, a limit is checked when another request arrives. */
  waitLimitPerRequest: boolean
  /** The smoothed demand cannot become NaN. */
  smoothingGuarded: boolean
}

/**
 * `match-exact`: without a resourceVersion, with `continue`, of a page unless of version 0, with match Exact.
 * `unsupported-match`: the same, with any match but NotOlderThan.
 * `legacy-exact`: likewise, but a page of the newest state (no resourceVersion) is no read of storage for being a page.
 * `by-match`: the match decides first, the rest only without one.
 */
export type ListsFromStorage = 'match-exact' | 'unsupported-match' | 'legacy-exact' | 'by-match'

/** `requests`: waiting requests; `seats`: their seats; `work`: their seat-seconds, from a rotating start of the hand. */
export type QueueChoice = 'requests' | 'seats' | 'work'

export interface VersionRow {
  minor: number
  /** Newest patch known; what a minor without a patch means. */
  lastPatch: number
  /** The rules of the newest patch. */
  rules: VersionRules
  /** Patches (first and last, both included) in which other rules hold. */
  exceptions: readonly PatchException[]
}

interface PatchException {
  patches: readonly [first: number, last: number]
  differs: Partial<VersionRules>
}

interface RowChange {
  minor: number
  lastPatch: number
  changes?: Partial<VersionRules>
  exceptions?: readonly PatchException[]
}

const EXEMPT_TYPE_MESSAGE = "type must be 'Exempt' if and only if name is 'exempt'"

const OLDEST: VersionRules = {
  minor: 20,
  patch: 15,
  servedVersions: ['v1beta1'],
  deprecatedVersions: [],
  serverFieldValidation: false,
  bootstrapGroup: 'A+probes',
  autoupdateAnnotation: false,
  lendingFields: false,
  exemptLevelHasShares: false,
  zeroSharesValid: false,
  preserveZeroAnnotation: false,
  missingTypeError: 'NotSupported',
  generatedUnionRules: false,
  emptyConditionReason: 'must not be empty',
  quoting: 'go',
  exemptTypeMessage: EXEMPT_TYPE_MESSAGE,
  dotsNamedInLabelErrors: false,
  metadataLengthUnit: 'characters',
  labelKeyName: 'a qualified name',
  watchBypassesFairness: true,
  headersOnRejections: false,
  headersOnExempt: true,
  headersOnTimeout: true,
  impersonationFailureStatus: 500,
  constrainedImpersonation: false,
  queueChoice: 'requests',
  exemptBorrowsApart: false,
  negativeLimitsRefused: false,
  fairnessGate: 'open',
  zeroSeatsRefused: false,
  retryAfterAdapts: false,
  maxListSeats: 10,
  seatCapPerLevel: false,
  listCost: 'nothing',
  listsFromStorage: 'match-exact',
  consistentListFromCache: false,
  watchList: false,
  watchesCostedAsLists: 'none',
  writesCostWatchers: false,
  tokenRequestsCostOne: false,
  objectCountsReachEstimator: true,
  uncountedListCost: 'maximum',
  namedListCostsOne: false,
  waitLimitPerRequest: false,
  smoothingGuarded: false,
}

const CHANGES: readonly RowChange[] = [
  { minor: 20, lastPatch: 15, exceptions: [{ patches: [0, 6], differs: { bootstrapGroup: 'A' } }] },
  {
    minor: 21,
    lastPatch: 14,
    changes: { headersOnRejections: true },
    exceptions: [{ patches: [0, 0], differs: { bootstrapGroup: 'A' } }],
  },
  {
    minor: 22,
    lastPatch: 17,
    changes: {
      bootstrapGroup: 'B',
      autoupdateAnnotation: true,
      watchBypassesFairness: false,
      queueChoice: 'seats',
      zeroSeatsRefused: true,
    },
  },
  {
    minor: 23,
    lastPatch: 17,
    changes: {
      servedVersions: ['v1beta2', 'v1beta1'],
      deprecatedVersions: ['v1beta1'],
      queueChoice: 'work',
      listCost: 'objects',
      uncountedListCost: 'one',
      namedListCostsOne: true,
    },
    exceptions: [
      { patches: [0, 1], differs: { headersOnExempt: false } },
      { patches: [0, 5], differs: { uncountedListCost: 'maximum' } },
      { patches: [0, 12], differs: { namedListCostsOne: false } },
    ],
  },
  {
    minor: 24,
    lastPatch: 17,
    changes: { bootstrapGroup: 'C', headersOnTimeout: false, writesCostWatchers: true },
    exceptions: [{ patches: [0, 6], differs: { namedListCostsOne: false } }],
  },
  {
    minor: 25,
    lastPatch: 16,
    changes: { serverFieldValidation: true, seatCapPerLevel: true },
    exceptions: [
      { patches: [0, 2], differs: { namedListCostsOne: false } },
      { patches: [0, 12], differs: { seatCapPerLevel: false } },
    ],
  },
  {
    minor: 26,
    lastPatch: 15,
    changes: {
      servedVersions: ['v1beta3', 'v1beta2'],
      deprecatedVersions: ['v1beta2'],
      bootstrapGroup: 'D',
      lendingFields: true,
      tokenRequestsCostOne: true,
      smoothingGuarded: true,
    },
    exceptions: [
      { patches: [0, 7], differs: { seatCapPerLevel: false } },
      { patches: [0, 12], differs: { smoothingGuarded: false } },
    ],
  },
  {
    minor: 27,
    lastPatch: 16,
    changes: { dotsNamedInLabelErrors: true, listsFromStorage: 'unsupported-match' },
    exceptions: [
      { patches: [0, 4], differs: { seatCapPerLevel: false } },
      { patches: [0, 9], differs: { smoothingGuarded: false } },
    ],
  },
  {
    minor: 28,
    lastPatch: 15,
    changes: {
      bootstrapGroup: 'E',
      exemptLevelHasShares: true,
      watchesCostedAsLists: 'initial-events',
      retryAfterAdapts: true,
      objectCountsReachEstimator: false,
      waitLimitPerRequest: true,
    },
    exceptions: [
      { patches: [0, 4], differs: { waitLimitPerRequest: false } },
      { patches: [0, 5], differs: { smoothingGuarded: false } },
    ],
  },
  {
    minor: 29,
    lastPatch: 15,
    changes: {
      servedVersions: ['v1', 'v1beta3'],
      deprecatedVersions: ['v1beta3'],
      preserveZeroAnnotation: true,
      objectCountsReachEstimator: true,
      fairnessGate: 'locked',
    },
    exceptions: [{ patches: [0, 13], differs: { objectCountsReachEstimator: false } }],
  },
  {
    minor: 30,
    lastPatch: 14,
    changes: { zeroSharesValid: true },
    exceptions: [{ patches: [0, 9], differs: { objectCountsReachEstimator: false } }],
  },
  {
    minor: 31,
    lastPatch: 14,
    changes: {
      exemptBorrowsApart: true,
      negativeLimitsRefused: true,
      fairnessGate: 'gone',
      listsFromStorage: 'legacy-exact',
      consistentListFromCache: true,
    },
  },
  { minor: 32, lastPatch: 13, changes: { servedVersions: ['v1'], deprecatedVersions: [], watchList: true } },
  { minor: 33, lastPatch: 13, changes: { listsFromStorage: 'by-match', watchList: false } },
  {
    minor: 34,
    lastPatch: 10,
    changes: {
      bootstrapGroup: 'F',
      quoting: 'json',
      emptyConditionReason: '',
      exemptTypeMessage: "must be 'Exempt' if and only if `name` is 'exempt'",
      namedListCostsOne: false,
      maxListSeats: 100,
      listCost: 'bytes',
      watchList: true,
    },
  },
  {
    minor: 35,
    lastPatch: 7,
    changes: {
      metadataLengthUnit: 'bytes',
      labelKeyName: 'a valid label key',
      impersonationFailureStatus: 400,
      watchesCostedAsLists: 'initial-events-and-legacy',
    },
  },
  { minor: 36, lastPatch: 3, changes: { missingTypeError: 'Required', constrainedImpersonation: true } },
  { minor: 37, lastPatch: 2, changes: { generatedUnionRules: true } },
]

/** One row a minor, oldest first. */
export const VERSION_TABLE: readonly VersionRow[] = buildTable()

export const OLDEST_MINOR = CHANGES[0]?.minor ?? 0
export const NEWEST_MINOR = CHANGES[CHANGES.length - 1]?.minor ?? 0

function buildTable(): VersionRow[] {
  let rules = OLDEST
  return CHANGES.map(({ minor, lastPatch, changes, exceptions = [] }) => {
    rules = { ...rules, ...changes, minor, patch: lastPatch }
    return { minor, lastPatch, rules, exceptions }
  })
}

/**
 * The rules of one release.
 * @param version  `minor` within the table; without `patch` the last known patch of the minor is meant
 */
export function rulesFor(version: { minor: number; patch?: number | null }): VersionRules {
  const row = VERSION_TABLE[version.minor - OLDEST_MINOR]
  if (!row) throw new RangeError(`no row for Kubernetes 1.${version.minor}`)
  const patch = version.patch ?? row.lastPatch
  const exceptions = row.exceptions.filter(({ patches: [first, last] }) => patch >= first && patch <= last)
  return Object.assign({}, row.rules, { patch }, ...exceptions.map(({ differs }) => differs))
}

/** A version of Kubernetes 1.x as somebody wrote it. */
export interface ServerVersion {
  minor: number
  /** Null: not said. */
  patch: number | null
  text: string
}

const VERSION_TEXT = /^v?1\.(\d{1,3})(?:\.(\d{1,4}))?\+?(?:[-+.]\S+)?$/
const MINOR_TEXT = /^(\d{2,3})\+?$/

/**
 * Reads `1.31`, `v1.31.2`, `v1.31.2-eks-7f9249a`, `v1.30.5-gke.1014001`, `v1.31.4+k3s1`, `1.31+`, and a minor alone as in
 * /version (`31`, `31+`). Null for anything else.
 */
export function parseServerVersion(text: string): ServerVersion | null {
  const trimmed = text.trim()
  const match = VERSION_TEXT.exec(trimmed) ?? MINOR_TEXT.exec(trimmed)
  if (!match) return null
  return { minor: Number(match[1]), patch: match[2] === undefined ? null : Number(match[2]), text: trimmed }
}

/**
 * Reads the answer of GET /version. The minor is the emulated one where the server tells it; the patch is that of the
 * binary, and means nothing under emulation of another minor.
 */
export function versionFromVersionJson(value: unknown): ServerVersion | null {
  if (typeof value !== 'object' || value === null) return null
  const field = (name: string): string => {
    const content: unknown = Reflect.get(value, name)
    return typeof content === 'string' ? content : ''
  }
  const binary = parseServerVersion(field('gitVersion')) ?? parseServerVersion(`${field('major')}.${field('minor')}`)
  const emulated = parseServerVersion(`${field('emulationMajor')}.${field('emulationMinor')}`)
  if (!binary || !emulated || emulated.minor === binary.minor) return binary ?? emulated
  return { minor: emulated.minor, patch: null, text: `${binary.text} emulating ${emulated.text}` }
}

export type ResolvedVersion = KnownVersion | UnknownVersion

export interface KnownVersion {
  known: true
  rules: VersionRules
  text: string
  /** The release is newer than the table: `rules` are those of the newest row. */
  newerThanKnown: boolean
}

/** Not a version, or older than the table. */
export interface UnknownVersion {
  known: false
  text: string
  /** Minors that could be meant: `['1.20', '1.21']`. */
  nearest: string[]
}

/** Finds the row for a version, given as text or read from a server. */
export function resolveVersion(version: ServerVersion | string): ResolvedVersion {
  const parsed = typeof version === 'string' ? parseServerVersion(version) : version
  if (parsed === null) {
    const text = typeof version === 'string' ? version : version.text
    return { known: false, text, nearest: [minorText(OLDEST_MINOR), minorText(NEWEST_MINOR)] }
  }
  if (parsed.minor < OLDEST_MINOR) {
    return { known: false, text: parsed.text, nearest: [minorText(OLDEST_MINOR), minorText(OLDEST_MINOR + 1)] }
  }
  const newerThanKnown = parsed.minor > NEWEST_MINOR
  const rules = newerThanKnown ? rulesFor({ minor: NEWEST_MINOR }) : rulesFor(parsed)
  return { known: true, rules, text: parsed.text, newerThanKnown }
}

/** `1.31` for 31. */
export function minorText(minor: number): string {
  return `1.${minor}`
}

/** The newest version of the API that a server of this version serves. */
export function newestVersion({ servedVersions }: Pick<VersionRules, 'servedVersions'>): ApiVersion {
  return servedVersions[0] ?? 'v1'
}
