// Rule parameters: what a ruleset lets its users vary, checked in one place.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text.hpp"

namespace spielwerk {

using RuleValue = std::variant<bool, std::int64_t, std::string>;
using RuleValues = std::map<std::string, RuleValue, std::less<>>;

struct Parameter {
  enum class Kind { integer, boolean, choice, text };

  std::string name;
  Kind kind;
  RuleValue fallback;  // used when the caller names none
  std::string help;
  std::int64_t minimum = 0, maximum = 0;  // Kind::integer
  std::vector<std::string> choices = {};  // Kind::choice
};

inline Parameter integer_parameter(std::string name, std::int64_t fallback, std::int64_t minimum,
                                   std::int64_t maximum, std::string help) {
  return {std::move(name), Parameter::Kind::integer, fallback, std::move(help), minimum, maximum};
}

inline Parameter boolean_parameter(std::string name, bool fallback, std::string help) {
  return {std::move(name), Parameter::Kind::boolean, fallback, std::move(help)};
}

inline Parameter choice_parameter(std::string name, std::vector<std::string> choices,
                                  std::string help) {
  std::string first = choices.front();
  return {std::move(name),   Parameter::Kind::choice, std::move(first), std::move(help), 0, 0,
          std::move(choices)};
}

inline Parameter text_parameter(std::string name, std::string fallback, std::string help) {
  return {std::move(name), Parameter::Kind::text, std::move(fallback), std::move(help)};
}

inline std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (const std::string& part : parts) {
    if (!all.empty()) all += separator;
    all += part;
  }
  return all;
}

inline std::string shown(const RuleValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

[[noreturn]] inline void refuse_rule(const Parameter& parameter, const std::string& allowed,
                                     const RuleValue& value) {
  throw std::invalid_argument(parameter.name + " must be " + allowed + ", not " +
                              excerpt(shown(value)));
}

inline void check_value(const Parameter& parameter, const RuleValue& value) {
  switch (parameter.kind) {
    case Parameter::Kind::integer: {
      const auto* number = std::get_if<std::int64_t>(&value);
      if (number == nullptr || *number < parameter.minimum || *number > parameter.maximum)
        refuse_rule(parameter,
                    "a whole number from " + std::to_string(parameter.minimum) + " to " +
                        std::to_string(parameter.maximum),
                    value);
      return;
    }
    case Parameter::Kind::boolean:
      if (!std::holds_alternative<bool>(value)) refuse_rule(parameter, "true or false", value);
      return;
    case Parameter::Kind::choice: {
      const auto* word = std::get_if<std::string>(&value);
      for (const std::string& choice : parameter.choices)
        if (word != nullptr && *word == choice) return;
      refuse_rule(parameter, "one of " + joined(parameter.choices, ", "), value);
    }
    case Parameter::Kind::text:
      if (!std::holds_alternative<std::string>(value)) refuse_rule(parameter, "a text", value);
  }
}

// Every parameter with a value: the caller's where given, the default elsewhere.
inline RuleValues complete_rules(const std::string& ruleset,
                                 const std::vector<Parameter>& parameters,
                                 const RuleValues& given) {
  RuleValues values;
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    values[parameter.name] = parameter.fallback;
    names.push_back(parameter.name);
  }
  for (const auto& [name, value] : given) {
    if (!values.contains(name))
      throw std::invalid_argument(ruleset + " has no parameter '" + excerpt(name) +
                                  "'; it has: " + joined(names, ", "));
    values[name] = value;
  }
  for (const Parameter& parameter : parameters) check_value(parameter, values[parameter.name]);
  return values;
}

inline int integer_rule(const RuleValues& rules, std::string_view name) {
  return static_cast<int>(std::get<std::int64_t>(rules.find(name)->second));
}

inline bool boolean_rule(const RuleValues& rules, std::string_view name) {
  return std::get<bool>(rules.find(name)->second);
}

inline const std::string& text_rule(const RuleValues& rules, std::string_view name) {
  return std::get<std::string>(rules.find(name)->second);
}

}  // namespace spielwerk
