"""The GraphQL operations: what REST doesn't tell, or not in one answer."""

from typing import Final

VIEWER: Final = """
query Viewer { viewer { login } }
"""

HISTORY: Final = """
query History($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      body
      author { __typename login }
      userContentEdits(first: $first, after: $after) {
        nodes { editedAt diff editor { __typename login } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""

LAST_COMMENTS: Final = """
query LastComments($owner: String!, $name: String!, $number: Int!, $last: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      comments(last: $last) {
        nodes { fullDatabaseId body viewerDidAuthor }
      }
    }
  }
}
"""

PINNED: Final = """
query Pinned($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) { isPinned } }
}
"""

PIN: Final = """
mutation Pin($issue: ID!) { pinIssue(input: {issueId: $issue}) { issue { number } } }
"""

RECORDS: Final = """
query Records($owner: String!, $name: String!, $environments: [String!], $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    deployments(
      environments: $environments, first: $first, after: $after, orderBy: {field: CREATED_AT, direction: DESC}
    ) {
      nodes {
        databaseId id task environment commitOid payload description createdAt
        ref { name }
        creator { __typename login }
        latestStatus { id state description logUrl createdAt creator { __typename login } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}
"""

ALL: Final = (VIEWER, HISTORY, LAST_COMMENTS, PINNED, PIN, RECORDS)
