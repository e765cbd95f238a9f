// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns a Vulkan instance: its entry points, layers, and what it has to say.

#include "instance.h"

#include "fork_lock.h"
#include "loader.h"
#include "manifest.h"
#include "result.h"

#define VULKAN_VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

// What the loader says against a driver while this thread makes an instance.
static _Thread_local iree_string_builder_t* vulkan_complaints = NULL;

static VkBool32 vulkan_log_message(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity,
    VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  (void)types;
  (void)user_data;
  iree_cy_log(severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
                  ? IREE_CY_LOG_LEVEL_ERROR
                  : IREE_CY_LOG_LEVEL_WARNING,
              IREE_SV("vulkan"), iree_make_cstring_view(data->pMessage));
  return VK_FALSE;
}

// While the instance is made and while it is destroyed.
static VkBool32 vulkan_collect_message(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity,
    VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  iree_string_builder_t* complaints = vulkan_complaints;
  if (types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) {
    return vulkan_log_message(severity, types, data, user_data);
  }
  if (complaints && severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT &&
      data->pMessage && complaints->size < 2048) {
    // Only a message is poorer without.
    iree_status_ignore(iree_string_builder_append_format(
        complaints, "%s%.400s", complaints->size ? "; " : "", data->pMessage));
  }
  return VK_FALSE;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static iree_status_t vulkan_has_layer(const vulkan_global_table_t* vk,
                                      iree_allocator_t host_allocator,
                                      const char* name, bool* out_has) {
  *out_has = false;
  uint32_t count = 0;
  VkLayerProperties* layers = NULL;
  VkResult result = vk->EnumerateInstanceLayerProperties(&count, NULL);
  if (result == VK_SUCCESS) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
        host_allocator, count, sizeof(*layers), (void**)&layers));
    result = vk->EnumerateInstanceLayerProperties(&count, layers);
  }
  if (result < 0) count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    *out_has = *out_has || strcmp(layers[i].layerName, name) == 0;
  }
  iree_allocator_free(host_allocator, layers);
  return vulkan_result_status(result, "vkEnumerateInstanceLayerProperties");
}

// Of the loader, or of a layer. A loader without any driver may fail here too:
// then there is none.
static iree_status_t vulkan_has_extension(const vulkan_global_table_t* vk,
                                          iree_allocator_t host_allocator,
                                          const char* layer, const char* name,
                                          bool* out_has) {
  *out_has = false;
  uint32_t count = 0;
  VkExtensionProperties* extensions = NULL;
  if (vk->EnumerateInstanceExtensionProperties(layer, &count, NULL) != 0) {
    return iree_ok_status();
  }
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      host_allocator, count, sizeof(*extensions), (void**)&extensions));
  if (vk->EnumerateInstanceExtensionProperties(layer, &count, extensions) < 0) {
    count = 0;
  }
  for (uint32_t i = 0; i < count; ++i) {
    *out_has = *out_has || strcmp(extensions[i].extensionName, name) == 0;
  }
  iree_allocator_free(host_allocator, extensions);
  return iree_ok_status();
}

static iree_status_t vulkan_check_validation(const vulkan_global_table_t* vk,
                                             iree_allocator_t host_allocator) {
  bool has_layer = false;
  IREE_RETURN_IF_ERROR(vulkan_has_layer(vk, host_allocator,
                                        VULKAN_VALIDATION_LAYER, &has_layer));
  if (has_layer) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_FAILED_PRECONDITION,
      "parameter 'validation' needs the layer " VULKAN_VALIDATION_LAYER
      ", which is not installed (Debian: vulkan-validationlayers)");
}

static VkDebugUtilsMessengerCreateInfoEXT vulkan_messenger_info(
    PFN_vkDebugUtilsMessengerCallbackEXT callback) {
  VkDebugUtilsMessengerCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
      .pfnUserCallback = callback,
  };
  return info;
}

static iree_status_t vulkan_instance_load(const vulkan_global_table_t* vk,
                                          vulkan_instance_t* instance) {
  const char* missing = NULL;
#define VULKAN_LOAD(name, result, parameters)                              \
  instance->vk.name =                                                      \
      (PFN_vk##name)vk->GetInstanceProcAddr(instance->handle, "vk" #name); \
  if (!instance->vk.name) missing = "vk" #name;
  VULKAN_INSTANCE_FUNCTIONS(VULKAN_LOAD)
  if (instance->has_debug_utils) {
    VULKAN_INSTANCE_EXTENSION_FUNCTIONS(VULKAN_LOAD)
  }
#undef VULKAN_LOAD
  if (!missing) return iree_ok_status();
  return iree_make_status(IREE_STATUS_UNAVAILABLE,
                          "the Vulkan loader gives no %s", missing);
}

// Makes the handle, with what the loader complains of in |complaints|.
static VkResult vulkan_instance_make(const vulkan_global_table_t* vk,
                                     const vulkan_instance_options_t* options,
                                     bool has_validation_features,
                                     iree_string_builder_t* complaints,
                                     vulkan_instance_t* instance) {
  static const char* const layers[] = {VULKAN_VALIDATION_LAYER};
  const char* extensions[2];
  uint32_t extension_count = 0;
  if (instance->has_debug_utils) {
    extensions[extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  }
  if (has_validation_features) {
    extensions[extension_count++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
  }
  VkDebugUtilsMessengerCreateInfoEXT messages =
      vulkan_messenger_info(vulkan_collect_message);
  static const VkValidationFeatureEnableEXT enables[] = {
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  const VkValidationFeaturesEXT validation = {
      .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
      .enabledValidationFeatureCount = 1,
      .pEnabledValidationFeatures = enables,
  };
  if (has_validation_features) messages.pNext = &validation;
  const VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pEngineName = "iree_cy",
      .apiVersion = VK_API_VERSION_1_3,
  };
  const VkInstanceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pNext = instance->has_debug_utils ? &messages : messages.pNext,
      .pApplicationInfo = &application,
      .enabledLayerCount = options->validation ? 1 : 0,
      .ppEnabledLayerNames = layers,
      .enabledExtensionCount = extension_count,
      .ppEnabledExtensionNames = extensions,
  };
  vulkan_complaints = complaints;
  const VkResult result = vk->CreateInstance(&info, NULL, &instance->handle);
  vulkan_complaints = NULL;
  if (result != VK_SUCCESS) instance->handle = NULL;
  return result;
}

// Loaders tell a broken manifest by several results,
// VK_ERROR_OUT_OF_HOST_MEMORY among them.
static iree_status_t vulkan_explain_result(VkResult result,
                                           iree_allocator_t host_allocator) {
  if (result >= 0) return iree_ok_status();
  IREE_RETURN_IF_ERROR(vulkan_manifests_explain(host_allocator));
  if (result != VK_ERROR_INCOMPATIBLE_DRIVER) {
    return vulkan_result_status(result, "vkCreateInstance");
  }
  const char* value = NULL;
  const char* variable = vulkan_manifests_variable(&value);
  return iree_make_status(
      IREE_STATUS_UNAVAILABLE,
      "none of the Vulkan drivers that %s%s makes an instance of Vulkan 1.3",
      variable ? variable : "are installed", variable ? " names" : "");
}

static iree_status_t vulkan_instance_open(
    const vulkan_global_table_t* vk, const vulkan_instance_options_t* options,
    iree_allocator_t host_allocator, vulkan_instance_t* instance) {
  bool has_validation_features = false;
  if (options->validation) {
    IREE_RETURN_IF_ERROR(vulkan_check_validation(vk, host_allocator));
    IREE_RETURN_IF_ERROR(vulkan_has_extension(
        vk, host_allocator, VULKAN_VALIDATION_LAYER,
        VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME, &has_validation_features));
  }
  IREE_RETURN_IF_ERROR(vulkan_has_extension(vk, host_allocator, /*layer=*/NULL,
                                            VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                            &instance->has_debug_utils));
  iree_string_builder_t complaints;
  iree_string_builder_initialize(host_allocator, &complaints);
  const VkResult result = vulkan_instance_make(
      vk, options, has_validation_features, &complaints, instance);
  iree_status_t status = vulkan_explain_result(result, host_allocator);
  if (!iree_status_is_ok(status) && complaints.size > 0) {
    status = iree_status_annotate_f(
        status, "the loader: %.*s",
        IREE_SV_ARG(iree_string_builder_view(&complaints)));
  }
  iree_string_builder_deinitialize(&complaints);
  return status;
}

static iree_status_t vulkan_instance_create(
    const vulkan_instance_options_t* options, iree_allocator_t host_allocator,
    vulkan_instance_t* instance) {
  vulkan_global_table_t vk;
  IREE_RETURN_IF_ERROR(vulkan_loader_open(&vk));
  IREE_RETURN_IF_ERROR(
      vulkan_instance_open(&vk, options, host_allocator, instance));
  IREE_RETURN_IF_ERROR(vulkan_instance_load(&vk, instance));
  if (!options->validation || !instance->has_debug_utils) {
    return iree_ok_status();
  }
  const VkDebugUtilsMessengerCreateInfoEXT info =
      vulkan_messenger_info(vulkan_log_message);
  return vulkan_result_status(
      instance->vk.CreateDebugUtilsMessengerEXT(instance->handle, &info, NULL,
                                                &instance->messenger),
      "vkCreateDebugUtilsMessengerEXT");
}

iree_status_t vulkan_instance_initialize(
    const vulkan_instance_options_t* options, iree_allocator_t host_allocator,
    vulkan_instance_t* out_instance) {
  memset(out_instance, 0, sizeof(*out_instance));
  vulkan_fork_lock_acquire();
  iree_status_t status =
      vulkan_instance_create(options, host_allocator, out_instance);
  if (!iree_status_is_ok(status)) vulkan_instance_deinitialize(out_instance);
  vulkan_fork_lock_release();
  return status;
}

void vulkan_instance_deinitialize(vulkan_instance_t* instance) {
  vulkan_fork_lock_acquire();
  if (instance->messenger) {
    instance->vk.DestroyDebugUtilsMessengerEXT(instance->handle,
                                               instance->messenger, NULL);
  }
  if (instance->handle && instance->vk.DestroyInstance) {
    instance->vk.DestroyInstance(instance->handle, NULL);
  }
  vulkan_fork_lock_release();
  memset(instance, 0, sizeof(*instance));
}
