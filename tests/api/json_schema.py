"""Checks values against the schemas of docs/openapi.yaml. A keyword that it does not have is an error, so that the
description cannot contain anything that is not tested."""

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}
KEYWORDS = {"type", "properties", "additionalProperties", "required", "items", "enum", "minItems", "maxItems", "minimum",
            "maximum", "maxLength", "pattern", "$ref", "description", "default", "example", "const", "anyOf"}


class Schemas:
    def __init__(self, description):
        self.all = description["components"]["schemas"]
        self.seen = set()  # (schema, property) of all values that were checked

    def resolve(self, schema):
        while "$ref" in schema:
            schema = self.all[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def check(self, value, schema, at="answer"):
        name = schema.get("$ref", at)
        schema = self.resolve(schema)
        assert not set(schema) - KEYWORDS, f"{at}: keywords that the test does not have: {set(schema) - KEYWORDS}"
        if "anyOf" in schema:
            self.check_any(value, schema["anyOf"], at)
        if "type" in schema:
            types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            fits = any(isinstance(value, TYPES[one]) and (one != "integer" or not isinstance(value, bool))
                       for one in types)
            assert fits, f"{at}: {value!r} is not of type {types}"
        if "enum" in schema:
            assert value in schema["enum"], f"{at}: {value!r} is not one of {schema['enum']}"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            assert schema.get("minimum", value) <= value <= schema.get("maximum", value), f"{at}: {value}"
        if isinstance(value, list):
            assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), at
            for number, one in enumerate(value):
                self.check(one, schema["items"], f"{at}[{number}]")
        if isinstance(value, dict):
            self.check_object(value, schema, name, at)

    def check_any(self, value, schemas, at):
        for schema in schemas[:-1]:
            try:
                return self.check(value, schema, at)
            except AssertionError:
                pass
        return self.check(value, schemas[-1], at)

    def check_object(self, value, schema, name, at):
        properties = schema.get("properties", {})
        more = schema.get("additionalProperties", True)
        missing = set(schema.get("required", [])) - set(value)
        assert not missing, f"{at}: without {missing}"
        for key, one in value.items():
            self.seen.add((name, key))
            if key in properties:
                self.check(one, properties[key], f"{at}.{key}")
            elif isinstance(more, dict):
                self.check(one, more, f"{at}.{key}")
            else:
                assert more, f"{at}: the description has no property '{key}'"
