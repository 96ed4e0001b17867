/** The objects of an isolation as somebody would write them: nothing that a server fills in anyway, unless it matters. */
import {
  FLOWCONTROL_GROUP,
  type FlowSchema,
  type NonResourceRule,
  type PriorityLevelConfiguration,
  type ResourceRule,
  type Subject,
} from '../../apf/objects.ts'
import { API_VERSIONS, type ApiVersion, type VersionRules } from '../../apf/versions.ts'

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec: object
}

export function flowSchemaManifest({ metadata, spec }: FlowSchema, rules: VersionRules): Manifest {
  return {
    apiVersion: `${FLOWCONTROL_GROUP}/${newestServedVersion(rules)}`,
    kind: 'FlowSchema',
    metadata: { name: metadata.name },
    spec: {
      priorityLevelConfiguration: { name: spec.priorityLevelConfiguration.name },
      matchingPrecedence: spec.matchingPrecedence,
      ...(spec.distinguisherMethod === null ? {} : { distinguisherMethod: { type: spec.distinguisherMethod.type } }),
      rules: spec.rules.map(({ subjects, resourceRules, nonResourceRules }) => ({
        subjects: subjects.map(writtenSubject),
        ...(resourceRules.length > 0 ? { resourceRules: resourceRules.map(writtenResourceRule) } : {}),
        ...(nonResourceRules.length > 0 ? { nonResourceRules: nonResourceRules.map(writtenNonResourceRule) } : {}),
      })),
    },
  }
}

function writtenSubject({ kind, user, group, serviceAccount }: Subject): object {
  if (kind === 'ServiceAccount') return { kind, serviceAccount }
  return kind === 'Group' ? { kind, group } : { kind, user }
}

function writtenResourceRule({ verbs, apiGroups, resources, clusterScope, namespaces }: ResourceRule): object {
  return {
    verbs,
    apiGroups,
    resources,
    ...(clusterScope ? { clusterScope } : {}),
    ...(namespaces.length > 0 ? { namespaces } : {}),
  }
}

function writtenNonResourceRule({ verbs, nonResourceURLs }: NonResourceRule): object {
  return { verbs, nonResourceURLs }
}

/** A limited level; the others cannot be created. */
export function levelManifest(
  { metadata, spec: { limited } }: PriorityLevelConfiguration,
  rules: VersionRules,
): Manifest {
  if (limited === null) throw new Error(`${metadata.name} is no limited level`)
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent, limitResponse } = limited
  const apiVersion = newestServedVersion(rules)
  return {
    apiVersion: `${FLOWCONTROL_GROUP}/${apiVersion}`,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: metadata.name },
    spec: {
      type: 'Limited',
      limited: {
        [API_VERSIONS[apiVersion].sharesField]: nominalConcurrencyShares,
        ...(rules.lendingFields ? { lendablePercent } : {}),
        ...(borrowingLimitPercent === null ? {} : { borrowingLimitPercent }),
        limitResponse: {
          type: limitResponse.type,
          ...(limitResponse.queuing === null ? {} : { queuing: { ...limitResponse.queuing } }),
        },
      },
    },
  }
}

export function newestServedVersion({ servedVersions }: VersionRules): ApiVersion {
  return servedVersions[0] ?? 'v1'
}
