/**
 * An object as the API server writes it down: the way back from decoding, in any version of the API.
 * Source: kubernetes/api flowcontrol types.go and the conversions of kubernetes/kubernetes pkg/apis/flowcontrol.
 */
import { PRESERVE_ZERO_ANNOTATION } from './defaulting.ts'
import {
  type ApfObject,
  FLOWCONTROL_GROUP,
  type FlowSchema,
  type LimitedSpec,
  type PriorityLevelConfiguration,
  type Subject,
} from './objects.ts'
import { API_VERSIONS, type ApiVersion, type VersionRules } from './versions.ts'

/** Plain JSON data. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export interface EncodedObject {
  [key: string]: Json
  apiVersion: string
  kind: string
  metadata: { [key: string]: Json }
  spec: { [key: string]: Json }
}

/**
 * The object in a version of the API, without status and without what only a server writes into metadata. What is absent
 * there is left out; fields that the version of the API or of Kubernetes does not have are lost.
 */
export function encodeObject(object: ApfObject, version: ApiVersion, rules: VersionRules): EncodedObject {
  const { kind } = object
  const spec = kind === 'FlowSchema' ? schemaSpec(object) : levelSpec(object, version, rules)
  return { apiVersion: `${FLOWCONTROL_GROUP}/${version}`, kind, metadata: metadataOf(object, version, rules), spec }
}

function metadataOf(object: ApfObject, version: ApiVersion, rules: VersionRules): EncodedObject['metadata'] {
  const { name, labels, annotations, finalizers = [] } = object.metadata
  const keepsZero =
    object.kind === 'PriorityLevelConfiguration' &&
    object.spec.limited?.nominalConcurrencyShares === 0 &&
    API_VERSIONS[version].zeroShares === 'kept-by-annotation' &&
    rules.preserveZeroAnnotation
  const written = keepsZero ? { ...annotations, [PRESERVE_ZERO_ANNOTATION]: '' } : annotations
  return {
    name,
    ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
    ...(Object.keys(written).length > 0 && { annotations: { ...written } }),
    ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
  }
}

function schemaSpec({ spec }: FlowSchema): EncodedObject['spec'] {
  const { matchingPrecedence, priorityLevelConfiguration, distinguisherMethod, rules } = spec
  return {
    priorityLevelConfiguration: { name: priorityLevelConfiguration.name },
    matchingPrecedence,
    ...(distinguisherMethod !== null && { distinguisherMethod: { type: distinguisherMethod.type } }),
    ...(rules.length > 0 && {
      rules: rules.map(({ subjects, resourceRules, nonResourceRules }) => ({
        subjects: subjects.map(subjectOf),
        ...(resourceRules.length > 0 && {
          resourceRules: resourceRules.map(({ verbs, apiGroups, resources, clusterScope, namespaces }) => ({
            verbs: [...verbs],
            apiGroups: [...apiGroups],
            resources: [...resources],
            ...(clusterScope && { clusterScope }),
            ...(namespaces.length > 0 && { namespaces: [...namespaces] }),
          })),
        }),
        ...(nonResourceRules.length > 0 && {
          nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
            verbs: [...verbs],
            nonResourceURLs: [...nonResourceURLs],
          })),
        }),
      })),
    }),
  }
}

function subjectOf({ kind, user, group, serviceAccount }: Subject): Json {
  return {
    kind,
    ...(user !== null && { user: { name: user.name } }),
    ...(group !== null && { group: { name: group.name } }),
    ...(serviceAccount !== null && {
      serviceAccount: { namespace: serviceAccount.namespace, name: serviceAccount.name },
    }),
  }
}

function levelSpec(
  { spec: { type, limited, exempt } }: PriorityLevelConfiguration,
  version: ApiVersion,
  rules: VersionRules,
): EncodedObject['spec'] {
  const { exemptBlock } = API_VERSIONS[version]
  return {
    type,
    ...(limited !== null && { limited: limitedOf(limited, version, rules) }),
    ...(exempt !== null && exemptBlock && rules.exemptLevelHasShares && { exempt: { ...exempt } }),
  }
}

function limitedOf(limited: LimitedSpec, version: ApiVersion, rules: VersionRules): Json {
  const { sharesField, lendingFields } = API_VERSIONS[version]
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent, limitResponse } = limited
  const { type, queuing } = limitResponse
  return {
    [sharesField]: nominalConcurrencyShares,
    ...(lendingFields &&
      rules.lendingFields && {
        lendablePercent,
        ...(borrowingLimitPercent !== null && { borrowingLimitPercent }),
      }),
    limitResponse: { type, ...(queuing !== null && { queuing: { ...queuing } }) },
  }
}
